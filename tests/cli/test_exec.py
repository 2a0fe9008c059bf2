"""weighlock exec: what can be read below a folder of models, and what elsewhere, by whom, and what is said not to be covered."""
import os
import shutil
import subprocess
import tempfile

import tap
from fixtures import NOBODY, WEIGHLOCK, environment, write
from hung_storage import GETATTR, HungStorage

READ = "for f in \"$@\"; do { cat <\"$f\"; } >/dev/null 2>&1 && echo yes || echo no; done"


class Tree:
    """models/{good,bad} and what is around them"""

    def __enter__(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="weighlock-exec-"))
        os.chmod(self.root, 0o755)
        for name in ("models/good/m", "models/good/in/m", "models/bad/m", "models/m", "beside/m", "file", "modelsx/m"):
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, name.encode())
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def at(self, *names):
        return [os.path.join(self.root, name) for name in names]

    def exec(self, *argv, options=("--only", "models/good"), **more):
        done = subprocess.run([WEIGHLOCK, "exec", *options, "--", *argv], cwd=self.root, env=environment(), timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **more)
        if "cannot be confined here" in done.stderr:
            raise tap.Skip(done.stderr.strip())
        return done

    def read(self, *paths, **more):
        done = self.exec("sh", "-c", READ, "sh", *paths, **more)
        assert done.returncode == 0 and not done.stderr, done
        return done.stdout.split()


def test_below_the_folder_of_models_one_folder_can_be_read():
    with Tree() as t:
        os.symlink("../bad/m", os.path.join(t.root, "models/good/link"))
        os.symlink("models/bad/m", os.path.join(t.root, "outside"))
        good = t.at("models/good/m", "models/good/in/m", "beside/m", "file", "modelsx/m") + ["/etc/passwd", "/dev/null", "/proc/self/status"]
        bad = t.at("models/bad/m", "models/m", "models/good/link", "outside") + ["models/bad/../bad/m"]
        assert t.read(*good) == ["yes"] * len(good)
        assert t.read(*bad) == ["no"] * len(bad)
        os.rename(os.path.join(t.root, "models"), os.path.join(t.root, "moved"))
        os.symlink("moved", os.path.join(t.root, "models"))  # named by a link, it is what that leads to
        assert t.read(*t.at("moved/good/m", "moved/bad/m")) == ["yes", "no"]


def test_storage_beside_the_way_that_does_not_answer_holds_nothing_up():
    with HungStorage(b"x") as storage, Tree() as t:
        storage.hang(GETATTR)
        assert os.path.dirname(storage.folder) == os.path.dirname(t.root)
        assert t.read(*t.at("models/good/m", "models/bad/m")) == ["yes", "no"]


def test_anybody_may_use_it():
    if os.geteuid() != 0:
        raise tap.Skip("only root can become nobody")
    with Tree() as t:
        got = t.read(*t.at("models/good/m", "models/bad/m", "beside/m"), user=NOBODY, group=NOBODY, extra_groups=[])
        assert got == ["yes", "no", "yes"], got


def test_several_folders_of_models():
    with Tree() as t:
        options = ("--root", "models", "--root", "beside", "--root", "models/bad", "--only", "models/good")
        paths = t.at("models/good/m", "models/bad/m", "models/m", "beside/m", "modelsx/m", "file")
        assert t.read(*paths, options=options) == ["yes", "no", "no", "no", "yes", "yes"]


def test_a_file_cannot_be_brought_to_where_it_can_be_read():
    with Tree() as t:
        for command in ("mv models/bad/m beside/x", "ln models/bad/m beside/x", "mv models/bad models/good/x", "cp models/bad/m beside/x",
                        "ln models/bad/m models/good/x"):
            done = t.exec("sh", "-c", command)
            assert done.returncode != 0, (command, done)
            assert os.path.exists(os.path.join(t.root, "models/bad/m")), command
        done = t.exec("sh", "-c", "mv beside/m modelsx/n && echo x >models/bad/new && mkdir beside/d && echo y >beside/d/f && cat beside/d/f")
        assert done.returncode == 0 and done.stdout == "y\n", done  # all else is as ever


def test_what_it_starts_is_under_it_as_well():
    with Tree() as t:
        inner = [WEIGHLOCK, "exec", "--only", "models/bad", "--", "cat", "models/bad/m"]
        assert t.exec(*inner).returncode != 0
        assert t.exec("sh", "-c", "cat models/bad/m & wait $!").returncode != 0


def test_the_status_is_that_of_the_command_and_its_options_are_its_own():
    with Tree() as t:
        assert t.exec("sh", "-c", "exit 7").returncode == 7
        assert t.exec("/nonexistent/program").returncode == 2
        done = subprocess.run([WEIGHLOCK, "exec", "--only", "models/good", "echo", "--root", "-h"], cwd=t.root, stdout=subprocess.PIPE, text=True,
                              check=True, env=environment())
        assert done.stdout == "--root -h\n", done


def test_mistakes_are_told_before_anything_runs():
    with Tree() as t:
        for options in ((), ("--only", "nonexistent"), ("--only", "file"), ("--only", "models/good", "--root", "/"), ("--only", "/"), ("--only", "/etc"),
                        ("--only", "models/good", "--root", "nonexistent"), ("--only", "models/good", *["--root", "models"] * 17)):
            done = t.exec("echo", "ran", options=options)
            assert done.returncode == 4 and not done.stdout and done.stderr, (options, done)
        assert t.exec(options=("--only", "models/good")).returncode == 4


tap.main(globals())
