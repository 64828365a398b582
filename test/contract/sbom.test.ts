import { readFileSync } from 'node:fs';
import path from 'node:path';

import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { z } from 'zod';

import { repository } from '../../tooling/paths.mjs';
import { sbomOf } from '../../tooling/sbom.mjs';

const lock = z
	.object({ packages: z.record(z.object({ integrity: z.string().optional() })) })
	.parse(JSON.parse(readFileSync(path.join(repository, 'package-lock.json'), 'utf8')));

const hash = z.object({ content: z.string() });

const sbom = z.object({
	metadata: z.object({ component: z.object({ purl: z.string() }) }),
	components: z.array(
		z.object({
			purl: z.string(),
			licenses: z.array(z.unknown()),
			externalReferences: z.array(z.object({ hashes: z.array(hash).optional() })),
		}),
	),
	dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).optional() })),
});

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

const manifestIn = (folder: string) =>
	manifest.parse(JSON.parse(readFileSync(path.join(repository, folder, 'package.json'), 'utf8')));

const installed = (name: string) => manifestIn(path.join('node_modules', name));

const BUNDLED = [installed('zod'), installed('@cyclonedx/cyclonedx-library')];

describe('the bill of materials', () => {
	it('is valid CycloneDX', async () => {
		const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
		await expect(validator.validate(sbomOf(BUNDLED))).resolves.toBeNull();
	});

	it('names each package with its version, its license and its hash', () => {
		const { components, dependencies, metadata } = sbom.parse(JSON.parse(sbomOf(BUNDLED)));
		const own = `pkg:npm/n8n-nodes-payroll-payments@${manifestIn('.').version}`;
		const scoped = `pkg:npm/%40cyclonedx/cyclonedx-library@${installed('@cyclonedx/cyclonedx-library').version}`;
		const zod = `pkg:npm/zod@${installed('zod').version}`;
		expect(metadata.component.purl).toBe(own);
		expect(components.map(({ purl, licenses }) => [purl, licenses])).toEqual([
			[scoped, [{ license: { id: 'Apache-2.0' } }]],
			[zod, [{ license: { id: 'MIT' } }]],
		]);
		expect(dependencies).toContainEqual({ ref: own, dependsOn: [scoped, zod] });
		const hashes = components[1]?.externalReferences.flatMap(({ hashes: each = [] }) => each) ?? [];
		const [, sha512 = ''] = lock.packages['node_modules/zod']?.integrity?.split('-') ?? [];
		expect(hashes.map(({ content }) => content)).toEqual([
			Buffer.from(sha512, 'base64').toString('hex'),
		]);
	});

	it('refuses a package that the lock file doesn’t have', () => {
		expect(() => sbomOf([{ name: 'zod', version: '0.0.1', license: 'MIT' }])).toThrow(
			"package-lock.json doesn't have zod 0.0.1",
		);
	});
});
