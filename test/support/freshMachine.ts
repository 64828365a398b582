import { randomUUID } from 'node:crypto';
import {
	appendFileSync,
	chmodSync,
	chownSync,
	copyFileSync,
	cpSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	renameSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import path from 'node:path';

import { installNode } from '../../tooling/installations.mjs';
import { whileLocked } from '../../tooling/lock.mjs';
import type { NodeMajor } from '../../tooling/n8nVersions.mjs';
import { cacheFolder, repository } from '../../tooling/paths.mjs';
import { npm, run } from '../../tooling/processes.mjs';
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

export interface Outcome {
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

export interface Setup {
	readonly node: NodeMajor;
	/** Who works on it. */
	readonly user: User;
	readonly packages?: readonly string[];
}

/** A machine on which nothing of ours has ever run: a Debian with Node.js and npm. */
export class FreshMachine {
	private readonly before: ReadonlySet<string>;

	private constructor(
		private readonly root: string,
		private readonly registry: string,
	) {
		this.before = new Set(this.files());
	}

	/** @param clones folders of the machine that get a clone of the current commit, the user's own */
	static async create(
		{ node: major, user, packages = COMPILER }: Setup,
		clones: readonly string[],
	): Promise<FreshMachine> {
		const debian = await emptyDebian(packages);
		const root = path.join(folder, randomUUID());
		const at = (file: string) => path.join(root, file);
		await run('cp', ['--archive', '--reflink=auto', debian, root]);
		const { node } = await installNode(major);
		copyFileSync(node, at('/usr/bin/node'));
		chmodSync(at('/usr/bin/node'), 0o755);
		const modules = (await npm(['root', '--global'])).trim();
		cpSync(path.join(modules, 'npm'), at('/usr/lib/node_modules/npm'), {
			recursive: true,
			filter: (file) => path.basename(file) !== 'npmrc',
		});
		symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', at('/usr/bin/npm'));
		for (const file of ['/etc/resolv.conf', '/etc/hosts', CERTIFICATES]) {
			if (existsSync(file)) copyFileSync(file, at(file));
		}
		appendFileSync(at('/etc/passwd'), `tester:x:1000:1000::${HOMES.tester}:/bin/sh\n`);
		appendFileSync(at('/etc/group'), 'tester:x:1000:\n');
		mkdirSync(at(HOMES.tester));
		chownSync(at(HOMES.tester), 1000, 1000);
		for (const clone of clones) {
			await run('git', ['clone', '--quiet', repository, at(clone)]);
			if (user === 'tester') await run('chown', ['--recursive', '1000:1000', at(clone)]);
		}
		return new FreshMachine(root, (await npm(['config', 'get', 'registry'])).trim());
	}

	/**
	 * Runs a command, with a process list, a /tmp and shared memory of its own.
	 *
	 * @param disks small disks that are mounted there
	 */
	start(user: User, command: string, disks: readonly Disk[] = []): BackgroundProcess {
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
			`HOME=${HOMES[user]}`,
			'PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
			`npm_config_registry=${this.registry}`,
			`npm_config_cafile=${CERTIFICATES}`,
			`NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
		];
		const userspec = user === 'root' ? '0:0' : '1000:1000';
		const inside = ['chroot', `--userspec=${userspec}`, this.root, 'env', '-i', ...variables];
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

	async run(user: User, command: string, disks: readonly Disk[] = []): Promise<Outcome> {
		rmSync(this.logFile, { force: true });
		const began = performance.now();
		const started = this.start(user, command, disks);
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
	leftBehind(clones: readonly string[]): string[] {
		const expected = [
			...clones,
			/* Of npm itself, since Node.js 22. */
			'/tmp/node-compile-cache',
			...Object.values(HOMES).flatMap((home) => [
				`${home}/.npm`,
				`${home}/.cache/n8n-nodes-payroll-payments`,
			]),
		];
		return this.files().filter(
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

	/** The files outside of /proc, /dev and folders that are too large to be listed. */
	private files(): string[] {
		const found: string[] = [];
		const visit = (place: string) => {
			for (const name of readdirSync(path.join(this.root, place))) {
				const file = path.posix.join(place, name);
				if (/^\/(proc|dev|sys)$|\/(\.npm|n8n-nodes-payroll-payments)$|^\/work$/.test(file))
					continue;
				if (lstatSync(path.join(this.root, file)).isDirectory()) visit(file);
				else found.push(file);
			}
		};
		visit('/');
		return found;
	}
}
