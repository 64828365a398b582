import { z } from 'zod';

import { DEEPEST, isDeeperThan, isRecord, parseJson, type JsonValue } from '../shared/json';
import { listed } from '../shared/lists';
import { safeExcerpt, shorten, withoutSecrets, type Redact } from '../shared/redaction';
import { allTextsOf } from './failureText';
import type { FailureEnvelope } from './schemas/answers';

/** Characters that are shown of what the service says. */
const LONGEST = { message: 500, code: 100, rest: 4_000 };

const DOCUMENTED_MEMBERS = ['success', 'data', 'error_code'];

/** Levels below a failure body at which validation issues are looked for. */
const LEVELS = 3;

/** Entries of a list, and members of an object, among which validation issues are looked for. */
const MOST_ENTRIES = 100;

/** Characters of what is read for errors. Patterns that look for secrets take about twice as many. */
const LONGEST_READ = 2_000_000;

/** Whether an answer can be shown: it is neither nested too deep nor too long. */
export function isReadable(value: unknown): boolean {
	return !isDeeperThan(value, DEEPEST) && (JSON.stringify(value) ?? '').length <= LONGEST_READ;
}

const issueList = z
	.array(
		z.object({
			path: z.array(z.union([z.string(), z.number()])).or(z.string()),
			message: z.string().min(1),
		}),
	)
	.min(1);

/** What is wrong with which field, under whatever name a failure body has it. */
function issuesIn(value: unknown, levels = LEVELS): string[] {
	const entries = Array.isArray(value) ? value.slice(0, MOST_ENTRIES) : undefined;
	const { data: list } = issueList.safeParse(entries);
	if (list !== undefined) {
		return list.map(({ path, message }) =>
			[[path].flat().join('.'), message].filter(Boolean).join(': '),
		);
	}
	if (!isRecord(value) || levels === 0) return [];
	return Object.values(value)
		.slice(0, MOST_ENTRIES)
		.flatMap((member) => issuesIn(member, levels - 1));
}

/** As JSON. A secret in JSON within a text is found before that is escaped once more. */
function redactedJson(value: unknown, redact: Redact): string {
	return JSON.stringify(value, (_name, member: unknown) =>
		typeof member === 'string' ? redact(member) : member,
	);
}

/** What the service says in words. */
function wordsOf(data: unknown, redact: Redact): string {
	if (typeof data === 'string') return data;
	const said = isRecord(data) ? (data.message ?? data.error) : undefined;
	return typeof said === 'string' ? said : redactedJson(data, redact);
}

/** What a service says, as data: without secrets, and as text if it is long. */
export function shownOf(value: unknown, redact: Redact): JsonValue {
	const shown = withoutSecrets(redact(redactedJson(value, redact)));
	return (shown.length <= LONGEST.rest && parseJson(shown)) || shorten(shown, LONGEST.rest);
}

/** What a failure body says, without secrets and shortened. */
export function readFailure(body: FailureEnvelope, redact: Redact) {
	const { data, error_code: code } = body;
	const others = Object.entries(body).filter(([name]) => !DOCUMENTED_MEMBERS.includes(name));
	const rest = Object.fromEntries(others);
	const issues = issuesIn({ data, ...rest });
	const hasWords = typeof data === 'string' || issues.length === 0;
	/* Before the full stop goes, because a secret may end with one. */
	const words = hasWords ? redact(wordsOf(data, redact)).trim().replace(/\.$/, '') : '';
	return {
		message:
			safeExcerpt([words, listed(issues)].filter(Boolean).join(': '), redact, LONGEST.message) ||
			'no reason given',
		errorCode: code === '' ? undefined : safeExcerpt(code, redact, LONGEST.code),
		/** The members that aren't documented, as data. */
		rest: others.length === 0 ? undefined : shownOf(rest, redact),
		/** In full and with secrets: only for `mayHaveSucceeded`, never to be shown. */
		text: allTextsOf({ data, code, rest }),
	};
}
