import { faker as german } from '@faker-js/faker/locale/de';
import { faker as british } from '@faker-js/faker/locale/en_GB';
import { faker as american } from '@faker-js/faker/locale/en_US';
import { faker as mexican } from '@faker-js/faker/locale/es_MX';
import { faker as japanese } from '@faker-js/faker/locale/ja';
import { faker as polish } from '@faker-js/faker/locale/pl';
import { faker as portuguese } from '@faker-js/faker/locale/pt_PT';
import { faker as vietnamese } from '@faker-js/faker/locale/vi';

import type { Randomness } from './randomness';

/** An invented person; the organisation adds an identifier and a role. */
export interface Person {
	readonly firstName: string;
	readonly middleName: string;
	readonly lastName: string;
	/** At an example domain. */
	readonly email: string;
	readonly home: Home;
}

interface Home {
	readonly line_1: string;
	readonly line_2: string;
	readonly city: string;
	readonly state: string;
	readonly country: string;
	readonly zip_code: string;
}

const COUNTRIES = [
	{ country: 'DE', faker: german },
	{ country: 'GB', faker: british },
	{ country: 'JP', faker: japanese },
	{ country: 'MX', faker: mexican },
	{ country: 'PL', faker: polish },
	{ country: 'PT', faker: portuguese },
	{ country: 'US', faker: american },
	{ country: 'VN', faker: vietnamese },
] as const;

const people = new Map<string, Person>();

/**
 * Makes a person; `number` keeps each email address unique. Remembers them, since every reset of the
 * sandbox needs the same hundreds again.
 */
export function makePerson(randomness: Randomness, number: number): Person {
	const home = randomness.pick(COUNTRIES);
	const seed = randomness.below(2 ** 32);
	const key = [home.country, seed, number].join();
	const person = people.get(key) ?? inventPerson(home, seed, number);
	people.set(key, person);
	return person;
}

function inventPerson(
	{ country, faker }: (typeof COUNTRIES)[number],
	seed: number,
	number: number,
): Person {
	// Faker's instances are shared by the whole process, so each person starts from a fresh seed.
	faker.seed(seed);
	const firstName = faker.person.firstName();
	const lastName = faker.person.lastName();
	const optional = (make: () => string): string => faker.helpers.maybe(make) ?? '';
	return {
		firstName,
		middleName: optional(() => faker.person.middleName()),
		lastName,
		email: faker.internet
			.exampleEmail({ firstName, lastName })
			.toLowerCase()
			.replace('@', `.${number}@`),
		home: {
			line_1: faker.location.streetAddress(),
			line_2: optional(() => faker.location.secondaryAddress()),
			city: faker.location.city(),
			state: faker.location.state(),
			country,
			zip_code: faker.location.zipCode(),
		},
	};
}
