/**
 * Words with which a service says that it already has what was requested, or is busy with it: a proxy
 * may have repeated a request, and this may be the answer to the second one.
 */
const HAD_BEFORE =
	/\b(?:already|duplicat\w*|exists|processed|used|spent|consumed|replay\w*|nonces?|salts?|conflict\w*|in progress)\b/i;

const WAS_MADE =
	/\b(?:was|were|is|(?:has|have)(?: \w+ly| now)? been)(?: \w+ly)? (?:paid|made|sent|submitted|executed|completed|settled)\b/i;

/** "no payment was made", "it can't be said that it was made" */
const NEGATED = /\b(?:no|not|nothing|nobody|none|never|neither|nor|cannot)\b|n['’]t\b/i;

function tellsOfIt(clause: string): boolean {
	const [made] = WAS_MADE.exec(clause) ?? [];
	if (made === undefined) return false;
	return !NEGATED.test(clause.slice(0, clause.indexOf(made)));
}

/** Whether a refusal can mean that what was requested was made before. */
export function saysMadeBefore(text: string): boolean {
	const words = text.replace(/[_-]+/g, ' ');
	return HAD_BEFORE.test(words) || words.split(/[.;,:!?\n]+/).some(tellsOfIt);
}
