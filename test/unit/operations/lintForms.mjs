/**
 * Lints the files in the JSON on standard input, each a path and its text, with the rules of n8n's
 * scanner, and prints what they find. A process of its own, since one of n8n's plugins is an ES module.
 */
import { text } from 'node:stream/consumers';

import { buildScanConfig } from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';

const eslint = new ESLint({
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: await buildScanConfig(),
});

const found = [];
for (const [filePath, code] of Object.entries(JSON.parse(await text(process.stdin)))) {
	const lines = code.split('\n');
	const [{ messages }] = await eslint.lintText(code, { filePath });
	for (const { ruleId, message, line } of messages) {
		found.push(`${filePath}: ${lines[line - 1].trim()}: ${message} (${ruleId})`);
	}
}
process.stdout.write(JSON.stringify(found));
