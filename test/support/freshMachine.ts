import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

import { installNode } from '../../tooling/installations.mjs';
import { whileLocked } from '../../tooling/lock.mjs';
import type { NodeMajor } from '../../tooling/n8nVersions.mjs';
import { cacheFolder, repository } from '../../tooling/paths.mjs';
import { cleanEnvironment, npm, run } from '../../tooling/processes.mjs';
import { withProgress } from '../../tooling/progress.mjs';
import { BackgroundProcess } from '../../n8nHost/backgroundProcess';
import { findOrInstall } from '../../n8nHost/debianCommand';

/** What the machine has, so that npm and git find the registry here as they do there. */
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Where the authors of n8n's database driver can't be reached, it is compiled: n8n itself asks for
 * these.
 */
const COMPILER = ['g++', 'make', 'python3'];

export type User = 'root' | 'tester';

const HOMES: Readonly<Record<User, string>> = { root: '/root', tester: '/home/tester' };
const OWNERS: Readonly<Record<User, string>> = { root: '0:0', tester: '1000:1000' };

/** The folders with a clone of the current commit, the user's own. */
export const CLONE = '/project/clone';
export const BESIDE = '/project/beside';

interface Outcome {
	readonly succeeded: boolean;
	readonly output: string;
	readonly seconds: number;
}

interface Disk {
	readonly folder: string;
	readonly megabytes: number;
}

const folder = path.join(cacheFolder, 'machines');

/** An empty Debian, as small as Debian makes it. */
async function emptyDebian(packages: readonly string[]): Promise<string> {
	const name = ['debian', ...packages].join('-');
	const root = path.join(folder, name);
	await findOrInstall(
		() => ['/usr/sbin/debootstrap'].find((file) => existsSync(file)),
		'debootstrap',
	);
	return await whileLocked(`${root}.lock`, 'makes an empty Debian', async () => {
		if (existsSync(root)) return root;
		await withProgress(`Making an empty ${name}`, async () => {
			const unfinished = `${root}.unfinished`;
			rmSync(unfinished, { recursive: true, force: true });
			const include = ['ca-certificates', ...packages].join(',');
			const options = ['--variant=minbase', `--include=${include}`];
			await run('debootstrap', [...options, 'bookworm', unfinished]);
			renameSync(unfinished, root);
		});
		return root;
	});
}

/** The files of a machine outside of /proc, /dev and folders that are too large to be listed. */
async function filesOf(root: string): Promise<string[]> {
	const names = ['./proc', './dev', './sys', './work', '*/.npm', '*/n8n-nodes-payroll-payments'];
	const skipped = names.flatMap((name) => ['-path', name, '-prune', '-o']);
	const found = await run('find', ['.', ...skipped, '!', '-type', 'd', '-print'], { cwd: root });
	return found.split('\n').flatMap((file) => (file === '' ? [] : [file.slice(1)]));
}

export interface Setup {
	readonly node: NodeMajor;
	readonly user: User;
	readonly packages?: readonly string[];
}

/** Makes a machine of an empty Debian, in whose folder it runs. */
const SETUP = `
install "$NODE" usr/bin/node
mkdir --parents usr/lib/node_modules
cp --recursive "$NPM" usr/lib/node_modules/npm
find usr/lib/node_modules/npm -name npmrc -delete
ln --symbolic ../lib/node_modules/npm/bin/npm-cli.js usr/bin/npm
for file in /etc/resolv.conf /etc/hosts ${CERTIFICATES}; do
	test ! -e $file || cp --dereference $file .$file
done
echo tester:x:1000:1000::${HOMES.tester}:/bin/sh >> etc/passwd
echo tester:x:1000: >> etc/group
install --directory --owner=1000 --group=1000 .${HOMES.tester}
for clone in ${CLONE} ${BESIDE}; do
	git clone --quiet "$REPOSITORY" .$clone
	chown --recursive $OWNER .$clone
done`;

/** A machine on which nothing of ours has ever run: a Debian with Node.js, npm and two clones. */
export class FreshMachine {
	private constructor(
		private readonly root: string,
		private readonly user: User,
		private readonly registry: string,
		private readonly before: ReadonlySet<string>,
	) {}

	static async create({ node: major, user, packages = COMPILER }: Setup): Promise<FreshMachine> {
		const root = path.join(folder, randomUUID());
		const debian = await emptyDebian(packages);
		await run('cp', ['--archive', '--reflink=auto', debian, root]);
		const { node: NODE } = await installNode(major);
		const NPM = path.join((await npm(['root', '--global'])).trim(), 'npm');
		const env = cleanEnvironment({ NODE, NPM, OWNER: OWNERS[user], REPOSITORY: repository });
		await run('sh', ['-e', '-c', SETUP], { cwd: root, env });
		const registry = (await npm(['config', 'get', 'registry'])).trim();
		return new FreshMachine(root, user, registry, new Set(await filesOf(root)));
	}

	/**
	 * Runs a command, with a process list, a /tmp and shared memory of its own.
	 *
	 * @param disks small disks that are mounted there
	 */
	start(command: string, disks: readonly Disk[] = []): BackgroundProcess {
		const mounts = [
			`mount -t proc proc ${this.root}/proc`,
			`mount -t tmpfs tmpfs ${this.root}/dev/shm`,
			...disks.flatMap(({ folder: place, megabytes }) => {
				const target = path.join(this.root, place);
				return [
					`mkdir -p ${target}`,
					`mount -t tmpfs -o size=${megabytes}m,mode=777 tmpfs ${target}`,
				];
			}),
		];
		const variables = [
			`HOME=${HOMES[this.user]}`,
			'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
			`npm_config_registry=${this.registry}`,
			`npm_config_cafile=${CERTIFICATES}`,
			`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
		];
		const inside = [
			'chroot',
			`--userspec=${OWNERS[this.user]}`,
			this.root,
			'env',
			'-i',
			...variables,
		];
		return new BackgroundProcess(
			command,
			'unshare',
			[
				...['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c'],
				`set -e; ${mounts.join('; ')}; exec "$@"`,
				...['sh', ...inside, 'sh', '-c', command],
			],
			{ logFile: this.logFile },
		);
	}

	async run(command: string, disks: readonly Disk[] = []): Promise<Outcome> {
		rmSync(this.logFile, { force: true });
		const began = performance.now();
		const started = this.start(command, disks);
		const code = await started.ended;
		const seconds = Math.round((performance.now() - began) / 1_000);
		return { succeeded: code === 0, output: started.log, seconds };
	}

	/** Whether the machine has a file of this name, in which `*` stands for anything. */
	async has(file: string): Promise<boolean> {
		return await run('sh', ['-c', `ls -d '${this.root}'${file}`]).then(
			() => true,
			() => false,
		);
	}

	/**
	 * The files that weren't there before, without the clones and the caches: npm's two and the one that
	 * CONTRIBUTING.md names.
	 */
	async leftBehind(): Promise<string[]> {
		const expected = [
			...[CLONE, BESIDE],
			/* Of npm itself, since Node.js 22. */
			'/tmp/node-compile-cache',
			...Object.values(HOMES).flatMap((home) => [
				`${home}/.npm`,
				`${home}/.cache/n8n-nodes-payroll-payments`,
			]),
		];
		return (await filesOf(this.root)).filter(
			(file) =>
				!this.before.has(file) && !expected.some((each) => `${file}/`.startsWith(`${each}/`)),
		);
	}

	remove(): void {
		rmSync(this.root, { recursive: true, force: true });
		rmSync(this.logFile, { force: true });
	}

	private get logFile(): string {
		return `${this.root}.log`;
	}
}
