import { isRecord } from '../shared/json';

/** Names of checks. If one is false, what it names can be so: "not_duplicate", "replay_check", "given_nonce_valid". */
const OF_CHECKS = /\b(?:no|not|new|fresh|valid|available|checks?|checked|passed|protection)\b/i;

/** Flags that, if they are false, say by themselves that it was done: "unspent", "not_paid", "reference_unique", "is_new". */
const OF_BEING_UNDONE =
	/^(?:is )?(?:new|fresh)(?: (?:payment|request|transaction|transfer))?$|\b(?:unique|(?:un|(?:not|never) (?:yet )?(?:been )?)(?:used|spent|paid|sent|processed|claimed|consumed|executed|redeemed|settled|submitted))\b/i;

/** What can be used only once: a check of it that failed can mean that it was, "checks": { "nonce": false }. */
const OF_ONE_USE = /\b(?:nonce|salt)s?\b/i;

/** Flags of it that are false where it was not used, or isn't there. */
const OF_USE =
	/\b(?:(?:re ?)?used?|spent|consumed|taken|seen|known|exists?|replay(?:ed)?|duplicated?|conflict|collision|stale|expired|low|has|found|present|provided|given|missing|requires?|required)\b/i;

/** What an issue says of a field that isn't there, or has another form. */
const OF_FORM =
	/\b(?:required|missing(?! from| in)|type|format|length|strings?|(?:an?|expected) (?:number|integer)|bigint|hex\w*|digits?|characters?|bytes\d*|blank|empty|null|undefined|pattern|union)\b|\b0x\b/i;

/** What it says of a value that was used, or isn't the next one. */
const OF_ORDER =
	/\b(?:fresh|new|unique|unused|available|different|another|next|again|earlier|before|stale|seen|known|low|lower|high|higher|greater)\b|\bto be [<>]/i;

/** The words of a name, or of a code. */
function wordsIn(name: string): string {
	return name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
}

/** Whether words are about the form of a value, and not about whether it was used. */
function isOfForm(words: string): boolean {
	return OF_FORM.test(words) && !OF_ORDER.test(words);
}

/** What a flag says that isn't new any more; undefined if it doesn't say that. */
function deniedNewness(name: string, member: unknown): string | undefined {
	if (member !== false) return undefined;
	const words = wordsIn(name);
	if (OF_BEING_UNDONE.test(words)) return `already ${name}`;
	const isOfOneUse = OF_ONE_USE.test(words);
	if (isOfOneUse && isOfForm(words)) return undefined;
	return OF_CHECKS.test(words) || (isOfOneUse && !OF_USE.test(words)) ? name : undefined;
}

/** Whether the path of an issue only names a field: "Required". */
function onlyNames(issue: unknown): boolean {
	if (!isRecord(issue)) return false;
	const isText = (each: unknown): each is string => typeof each === 'string';
	const { message, msg, code } = issue;
	const said = [code, message, msg].filter(isText);
	const others = Object.entries(issue).flatMap(([name, member]) =>
		name !== 'path' && isText(member) ? member : [],
	);
	const texts = isText(message) || isText(msg) ? said : others;
	const words = texts.map(wordsIn).join('. ');
	return words === '' || isOfForm(words);
}

/**
 * All texts in a value. Of names only those of what is true: "salt" may name a field that is missing.
 * @param of what it is a member of: "nonce": { "valid": false }
 */
function textsIn(value: unknown, of = ''): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap((member) => textsIn(member));
	if (!isRecord(value)) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		if (name === 'path' && onlyNames(value)) return [];
		if (member === true) return name;
		const ofOneUse = OF_ONE_USE.test(wordsIn(of)) ? `${of} ${name}` : name;
		return deniedNewness(ofOneUse, member) ?? textsIn(member, name);
	});
}

/** Leaves out what doesn't say what was done: the path of an issue, and names of what is false or null. */
function withoutNames(this: unknown, name: string, member: unknown): unknown {
	if (member === false) return deniedNewness(name, member);
	return (name === 'path' && onlyNames(this)) || member === null ? undefined : member;
}

/** All that a failure body says in words, in full: `saysItExists` looks in it. */
export function textOf({
	data,
	code = '',
	rest,
}: {
	readonly data: unknown;
	readonly code?: string;
	/** The members that aren't documented. */
	readonly rest: unknown;
}): string {
	return [JSON.stringify(data, withoutNames), code, ...textsIn(rest)].join('\n');
}
