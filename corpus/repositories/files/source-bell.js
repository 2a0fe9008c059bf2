var bell = '', escape = '';
