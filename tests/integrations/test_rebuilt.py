"""A package is what its sources say and nothing else: built elsewhere, at another time, by somebody else, it is the same;
and a Debian with what packages.debian lists, and nothing else, can build it."""
import os
import time

import bare
import packages
import tap
from foreign import run


def different(one, other):
    """Names of packages that are not the same file in both."""
    assert set(one) == set(other), (set(one), set(other))
    pairs = {}
    for name in one:
        with open(one[name], "rb") as a, open(other[name], "rb") as b:
            pairs[name] = a.read() == b.read()
    return sorted(name for name, same in pairs.items() if not same)


def test_a_package_does_not_depend_on_where_when_and_by_whom_it_is_built():
    first = packages.built()
    source = packages.copy_source(os.path.join(bare.folder("elsewhere"), "a-longer-name-than-the-first-had"))
    year_before = time.time() - 365 * 86400
    for folder, _, files in os.walk(source):
        for name in files:
            os.utime(os.path.join(folder, name), (year_before, year_before), follow_symlinks=False)
    before = os.umask(0o077)
    try:
        second = packages.build_in(source, TZ="Pacific/Kiritimati", LC_ALL="C", HOME="/nonexistent", USER="somebody",
                                   DEB_BUILD_OPTIONS="parallel=1")
    finally:
        os.umask(before)
    assert len(first) >= 4 and not different(first, second), different(first, second)


def test_a_clean_debian_builds_the_packages():
    root = packages.debian(*packages.listed("build", "packages"))
    packages.copy_source(root.at("/build"))
    done = root.run("sh", "-c", "cd /build && exec dpkg-buildpackage -us -uc -b", user="0:0", timeout=packages.SECONDS,
                    env={"DEB_BUILD_OPTIONS": f"parallel={os.cpu_count()}"})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    made, ours = packages.found(root.path), packages.built()
    assert set(made) == set(ours), (set(made), set(ours))
    for name in made:
        if name.endswith("-dbgsym"):  # its names are build ids, and those depend on the libraries' headers
            continue
        contents = [run("dpkg-deb", "-c", deb).stdout.split(b"\n") for deb in (made[name], ours[name])]
        names = [[line.split(None, 5)[5:] for line in lines] for lines in contents]
        assert names[0] == names[1], (name, names)


tap.main(globals())
