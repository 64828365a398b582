import { z } from 'zod';

import { DEEPEST, isDeeperThan, isRecord, parseJson, type JsonValue } from '../shared/json';
import { listed } from '../shared/lists';
import { safeExcerpt, shorten, withoutSecrets, type Redact } from '../shared/redaction';
import type { FailureEnvelope } from './schemas/answers';

/** Characters that are shown of what the service says. */
const LONGEST = { message: 500, code: 100, rest: 4_000 };

const DOCUMENTED = ['success', 'data', 'error_code'];

/** Levels below a failure body at which validation issues are looked for. */
const LEVELS = 3;

/** Entries of a list, and members of an object, among which validation issues are looked for. */
const MOST_ENTRIES = 100;

/** Characters of what is read for errors. Patterns that look for secrets take about twice as many. */
const LONGEST_READ = 2_000_000;

/** Whether what a service says can be told: it is neither nested too deep nor too long. */
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

/** Words in the names of flags that are true as long as nothing was done: "not_processed", "unspent". */
const OF_BEING_NEW =
	/\b(?:not|new|unique|fresh|valid|available|un(?:used|spent|paid|processed|claimed|consumed))\b/i;

/** What can be used only once: a check of it that failed can mean that it was, "checks": { "nonce": false }. */
const OF_ONE_USE = /\b(?:nonce|salt)s?\b/i;

/** Flags of it that are false where it was not used, or isn't there. */
const OF_USE =
	/\b(?:used|spent|consumed|seen|known|exists?|duplicated?|present|provided|given|missing|required)\b/i;

/** What an issue says of a field that isn't there, or has another form. */
const OF_FORM =
	/\b(?:required|missing|expected|type|format|length|strings?|numbers?|integers?|hex|digits?|characters?)\b/i;

/** Whether a flag says that something isn't new any more. */
function deniesBeingNew(name: string, member: unknown): boolean {
	const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
	const isNew = OF_BEING_NEW.test(words) || (OF_ONE_USE.test(words) && !OF_USE.test(words));
	return member === false && isNew;
}

/** Whether the path of an issue only names a field: "Required". */
function onlyNames(issue: unknown): boolean {
	return isRecord(issue) && (typeof issue.message !== 'string' || OF_FORM.test(issue.message));
}

/** All texts in a value. Of names only those of what is true: "salt" may name a field that is missing. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap(textsIn);
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		if (name === 'path' && onlyNames(value)) return [];
		return member === true || deniesBeingNew(name, member) ? name : textsIn(member);
	});
}

/** Leaves out what doesn't say what was done: the path of an issue, and names of what is false or null. */
function withoutNames(this: unknown, name: string, member: unknown): unknown {
	if (member === false) return deniesBeingNew(name, member) ? member : undefined;
	return (name === 'path' && onlyNames(this)) || member === null ? undefined : member;
}

/** What the service says in words. */
function wordsOf(data: unknown): string {
	if (typeof data === 'string') return data;
	const said = isRecord(data) ? (data.message ?? data.error) : undefined;
	return typeof said === 'string' ? said : JSON.stringify(data);
}

/** What a service says, as data: without secrets, and as text if it is long. */
export function shownOf(value: unknown, redact: Redact): JsonValue {
	const shown = withoutSecrets(redact(JSON.stringify(value)));
	return (shown.length <= LONGEST.rest && parseJson(shown)) || shorten(shown, LONGEST.rest);
}

/** What a failure body says, without secrets and shortened. */
export function readFailure(body: FailureEnvelope, redact: Redact) {
	const { data, error_code: code } = body;
	const others = Object.entries(body).filter(([name]) => !DOCUMENTED.includes(name));
	const rest = Object.fromEntries(others);
	const issues = issuesIn({ data, ...rest });
	const hasWords = typeof data === 'string' || issues.length === 0;
	/* Before the full stop goes, because a secret may end with one. */
	const words = hasWords ? redact(wordsOf(data)).trim().replace(/\.$/, '') : '';
	return {
		message:
			safeExcerpt([words, listed(issues)].filter(Boolean).join(': '), redact, LONGEST.message) ||
			'no reason given',
		errorCode: code === '' ? undefined : code && safeExcerpt(code, redact, LONGEST.code),
		/** The members that aren't documented, as data. */
		rest: others.length === 0 ? undefined : shownOf(rest, redact),
		/** All that it says in words, in full. */
		text: [JSON.stringify(data, withoutNames), code ?? '', ...textsIn(rest)].join('\n'),
	};
}
