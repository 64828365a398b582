// Has Node load a dependency, once for all test files of a worker; see environment.cjs.
module.exports = {
	process: (_source, file) => ({ code: `module.exports = requireOnce(${JSON.stringify(file)});` }),
	getCacheKey: (_source, file) => `once:${file}`,
};
