import { NodeHelpers, type INodeProperties } from 'n8n-workflow';

import { CATALOGUE } from '../../../nodes/PayrollPayments/operations/catalogue';
import { FORMS, NODES, partsOf, type FormPart } from '../../support/forms';

/*
 * n8n's guidelines for forms (docs.n8n.io, UX guidelines), where n8n's linter has no rule or sees
 * only literals. formLint.test.ts runs the linter over the same forms.
 */

const SMALL_WORDS = /^(a|an|and|as|at|by|for|in|of|on|or|per|the|to|with)$/;

/** Names that are always written in lowercase. */
const LOWERCASE_NAMES = /^(n8n|te-|co-|us-|wh-|in-)/;

function isTitleCase(text: string): boolean {
	const words = text.split(/[\s/:]+/).map((word) => word.replace(/^[(“]/, ''));
	return words.every((word, index) => {
		const isInside = index > 0 && index < words.length - 1;
		return !/^[a-z]/.test(word) || (isInside && SMALL_WORDS.test(word));
	});
}

/** How many sentences a text has. "e.g." doesn't end one. */
function countSentences(text: string): number {
	return text.split(/(?<!\be\.g)[.!?]\s+(?=[\p{Lu}\d“<{]|n8n)/u).length;
}

/** What is wrong with a text that is written as one or more sentences. */
function faultsOf(text: string): string[] {
	const plain = text.replace(/<\/?b>/g, '').trim();
	const faults: string[] = plain === '' ? ['is empty'] : [];
	if (/^[a-z]/.test(plain) && !LOWERCASE_NAMES.test(plain)) faults.push('begins in lowercase');
	if (plain.split(' ').length > 3 && isTitleCase(plain)) faults.push('is in title case');
	const endsInPeriod = plain.endsWith('.');
	if (countSentences(plain) === 1 && endsInPeriod) faults.push('is one sentence with a period');
	if (countSentences(plain) > 1 && !endsInPeriod) faults.push('lacks the last period');
	if (/ {2}|\s$|^\s/.test(text)) faults.push('has spare spaces');
	return faults;
}

const labelOf = ({ kind, part }: FormPart) => (kind === 'option' ? part.name : part.displayName);

/** The entries of a menu or a collection, without one in front for no choice or for the default. */
function entriesOf({ options = [], default: preset }: INodeProperties): string[] {
	return options.flatMap((option, index) => {
		if ('displayName' in option) return [option.displayName];
		const isInFront = index === 0 && ['', ...[preset].flat()].includes(option.value);
		return isInFront ? [] : [option.name];
	});
}

describe.each(Object.entries(FORMS))('the form of %s', (_name, properties) => {
	const parts = partsOf(properties);
	const fields = parts.flatMap(({ kind, path, part }) =>
		kind === 'field' ? [{ path, ...part }] : [],
	);
	const labels = parts
		.filter(({ kind, part }) => kind !== 'field' || part.type !== 'notice')
		.map(labelOf);
	const pathsOf = (some: ReadonlyArray<{ path: string }>) => some.map(({ path }) => path);

	it('has labels in title case', () => {
		expect(labels.filter((label) => label === '' || !isTitleCase(label))).toEqual([]);
		expect(labels.length).toBeGreaterThan(10);
	});

	it('calls an email address Email, and writes ID, JSON, URL and ZIP in capitals', () => {
		const wrong = /e-mail|email address|\(email\)/i;
		const lowercase = /\b(Id|Ids|Json|Url|Zip|Ip)\b/;
		expect(labels.filter((label) => wrong.test(label) || lowercase.test(label))).toEqual([]);
	});

	it('has descriptions, hints and notices in sentence case, a period only after several', () => {
		const faults = parts.flatMap(({ kind, path, part }) => {
			const texts = [
				'description' in part ? part.description : undefined,
				'hint' in part ? part.hint : undefined,
				kind === 'field' && part.type === 'notice' ? part.displayName : undefined,
			];
			return texts.flatMap((text) =>
				text === undefined ? [] : faultsOf(text).map((fault) => `${path}: ${fault}: ${text}`),
			);
		});
		expect(faults).toEqual([]);
	});

	/* A newer linter warns. */
	it('has hints of at most 120 characters', () => {
		expect(fields.filter(({ hint = '' }) => hint.length > 120).map(({ hint }) => hint)).toEqual([]);
	});

	it('says where to find an ID until it is selected', () => {
		const pickers = fields.filter(({ name }) => /^(entity|team)Id$/.test(name));
		const below = properties.filter(({ name }) => /^(entity|team)IdNotice$/.test(name));
		expect(below).toHaveLength(pickers.length);
		for (const { name, displayName, displayOptions } of below) {
			expect(displayName.length).toBeLessThan(120);
			const field = name.replace('Notice', '');
			for (const [value, isShown] of [
				['', true],
				['te-a1B2c3D4e5F6', false],
				['={{ $json.team }}', false],
			] as const) {
				const values = { [field]: { __rl: true, mode: 'list', value } };
				const { hide } = displayOptions ?? {};
				const part = { displayName, name, type: 'notice', default: '' } as const;
				expect(
					NodeHelpers.displayParameter(values, { ...part, displayOptions: { hide } }, null, null),
				).toBe(isShown);
			}
		}
	});

	it('explains each field that its label alone doesn’t explain', () => {
		const PLAIN = /^(resource|operation|options|.* > (invitee|column) > .*)$/;
		const unexplained = fields.filter(
			({ path, name, type, description, options = [] }) =>
				type !== 'notice' &&
				type !== 'hidden' &&
				description === undefined &&
				!PLAIN.test(name) &&
				!PLAIN.test(path) &&
				!(options.length > 0 && options.every((option) => 'description' in option)),
		);
		expect(pathsOf(unexplained)).toEqual([]);
	});

	it('has examples that begin with "e.g.", and buttons that begin with "Add"', () => {
		const wrong = parts.flatMap(({ kind, path, part }) => {
			if (!('placeholder' in part) || part.placeholder === undefined) return [];
			const isButton = kind === 'field' && /ollection$/.test(part.type);
			const isList = kind === 'mode' && part.type === 'list';
			const wanted = isButton
				? /^Add [a-z ]+$/
				: isList
					? /^Select an? [a-z, ]+\.\.\.$/
					: /^e\.g\. \S/;
			return wanted.test(part.placeholder) ? [] : [`${path}: ${part.placeholder}`];
		});
		expect(wrong).toEqual([]);
	});

	it('shows an example in each text field without a default, and each JSON field under Options', () => {
		const without = fields.filter((field) => {
			const { path, type, required, default: preset, placeholder, typeOptions } = field;
			const isText = type === 'string' && preset === '' && typeOptions?.rows === undefined;
			const isOption = type === 'json' && path.includes('options > ');
			const isOptionalPrefill = required !== true && path.includes(' > invitee > ');
			return placeholder === undefined && ((isText && !isOptionalPrefill) || isOption);
		});
		expect(pathsOf(without)).toEqual([]);
	});

	it('has switches on that are added', () => {
		const added = fields.filter(({ path, type }) => type === 'boolean' && path.includes(' > '));
		expect(pathsOf(added.filter((field) => field.default !== true))).toEqual([]);
	});

	const menus = fields.filter(({ type }) => type === 'options' || type === 'multiOptions');

	it('sorts the entries of menus and collections by name', () => {
		const collections = fields.filter(({ type }) => type === 'collection');
		const unsorted = [...menus, ...collections].filter((field) => {
			const names = entriesOf(field);
			return names.join() !== names.toSorted((a, b) => a.localeCompare(b, 'en')).join();
		});
		expect(pathsOf(unsorted)).toEqual([]);
	});
});

it('the fields take their own examples', () => {
	const refused = CATALOGUE.flatMap(({ fields, runOptions, itemOptions }) =>
		Object.values({ ...fields, ...runOptions, ...itemOptions }).filter(({ form, schema }) => {
			const [, example] = /^e\.g\. (.*)$/.exec(form.placeholder ?? '') ?? [];
			return example !== undefined && !/…(?!")/.test(example) && !schema.safeParse(example).success;
		}),
	);
	expect(refused).toEqual([]);
});

it('the nodes introduce themselves in one sentence, without a period', () => {
	expect(NODES.flatMap(({ description }) => faultsOf(description))).toEqual([]);
	expect(NODES.map(({ displayName }) => isTitleCase(displayName))).toEqual([true, true, true]);
});
