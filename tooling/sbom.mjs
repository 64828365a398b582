import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';

import { repository } from './paths.mjs';

/** @typedef {import('@cyclonedx/cyclonedx-library').Contrib.FromNodePackageJson.Types.NodePackageJson} Package */

const { Builders, Factories } = Contrib.FromNodePackageJson;

const builder = new Builders.ComponentBuilder(
	new Factories.ExternalReferenceFactory(),
	new Contrib.License.Factories.LicenseFactory((license) => {
		throw new Error(`${license} isn't the identifier of one license.`);
	}),
);

/** @param {string} file */
const read = (file) => readFileSync(path.join(repository, file), 'utf8');

/**
 * Where npm gets a package, and its hash from the lock file.
 *
 * @param {Record<string, { version?: string; integrity?: string }>} locked
 * @param {Package} of
 */
function distributionOf(locked, { name, version }) {
	const found = Object.entries(locked).find(
		([folder, each]) => folder.endsWith(`node_modules/${name}`) && each.version === version,
	);
	if (found === undefined) throw new Error(`package-lock.json doesn't have ${name} ${version}.`);
	return {
		tarball: `https://registry.npmjs.org/${name}/-/${name?.split('/').at(-1)}-${version}.tgz`,
		integrity: found[1].integrity,
	};
}

/**
 * @param {Package} of
 * @param {import('@cyclonedx/cyclonedx-library').Enums.ComponentType} [type]
 */
function componentOf(of, type) {
	const component = builder.makeComponent(of, type);
	if (component === undefined) throw new Error('A bundled package has no name.');
	const { group, name, version } = component;
	component.purl = new PackageURL('npm', group, name, version).toString();
	component.bomRef.value = component.purl;
	/* They would say which member of package.json each comes from. */
	for (const reference of component.externalReferences) reference.comment = undefined;
	return component;
}

/**
 * The package and what is bundled in it, as CycloneDX. The same sources give the same text: the time
 * is the day that CHANGELOG.md gives for the version.
 *
 * @param {Package[]} bundled
 */
export function sbomOf(bundled) {
	/** @type {Package} */
	const manifest = JSON.parse(read('package.json'));
	const { packages: locked } = JSON.parse(read('package-lock.json'));
	const own = componentOf({ ...manifest, engines: undefined });
	const components = bundled.map((each) =>
		componentOf({ ...each, dist: distributionOf(locked, each) }),
	);
	for (const { bomRef } of components) own.dependencies.add(bomRef);
	const [, day] = read('CHANGELOG.md').match(`\n## \\[${manifest.version}\\] - (\\S+)`) ?? [];
	const bom = new Models.Bom({
		components: new Models.ComponentRepository(components),
		metadata: new Models.Metadata({
			component: own,
			lifecycles: new Models.LifecycleRepository([Enums.LifecyclePhase.Build]),
			supplier: new Models.OrganizationalEntity({ name: own.author }),
			timestamp: day === undefined ? undefined : new Date(day),
		}),
	});
	const format = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
	return new Serialize.JsonSerializer(format).serialize(bom, { sortLists: true });
}
