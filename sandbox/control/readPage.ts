import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The practice desk's page, and the policy that allows it nothing but its own style and script. */
export interface Page {
	readonly html: string;
	readonly contentSecurityPolicy: string;
}

const FOLDER = join(__dirname, 'page');

/** Reads the page with its style and script in it, as a browser needs them. */
export async function readPage(): Promise<Page> {
	const [template, style, script] = await Promise.all([
		readFile(join(FOLDER, 'page.html'), 'utf8'),
		readFile(join(FOLDER, 'page.css'), 'utf8'),
		bundle(join(FOLDER, 'main.ts')),
	]);
	return {
		html: template
			.replace('<style></style>', () => `<style>${style}</style>`)
			.replace('<script></script>', () => `<script>${script}</script>`),
		// Answers of receivers are shown here, so no other script runs, whatever they contain.
		contentSecurityPolicy: [
			"default-src 'none'",
			`style-src ${hashOf(style)}`,
			`script-src ${hashOf(script)}`,
			"connect-src 'self'",
			'img-src data:',
			"base-uri 'none'",
			"form-action 'none'",
			"frame-ancestors 'none'",
		].join('; '),
	};
}

/** Loaded on demand: only a person who opens the page needs esbuild. */
async function bundle(entry: string): Promise<string> {
	const { build } = await import('esbuild');
	const { outputFiles } = await build({
		entryPoints: [entry],
		bundle: true,
		format: 'iife',
		target: 'es2022',
		write: false,
	});
	return outputFiles[0]?.text ?? '';
}

const hashOf = (text: string): string =>
	`'sha256-${createHash('sha256').update(text).digest('base64')}'`;
