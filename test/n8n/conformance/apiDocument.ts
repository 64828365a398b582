import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../tooling/paths.mjs';

const API_DOCUMENT = path.join(repository, 'docs', 'api.md');

export const readApiDocument = (): string => readFileSync(API_DOCUMENT, 'utf8');

/** The headings of the sections about the service that say anything, in their order. */
export function sections(): string[] {
	const [, about = ''] = readApiDocument().split(/(?=\n## Overview\n)/);
	const [text = ''] = about.split('\n## Conformance\n');
	return [...text.matchAll(/\n##+ (.*)\n\n(?!#)/g)].map(([, heading = '']) => heading);
}
