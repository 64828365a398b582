import type { Randomness } from './randomness';

/** A made-up person, before the organisation gives an identifier and a place. */
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

const FIRST_NAMES = [
	'Amara',
	'Zoë',
	'Mateo',
	'Yuki',
	'Søren',
	'Anaïs',
	'Kwame',
	'Priya',
	'Łukasz',
	'Inês',
	'Omar',
	'Freya',
	'Nguyệt',
	'Tomás',
	'Siobhán',
	'Farah',
	'Dmitri',
	'Leilani',
	'Bjørn',
	'Chiara',
	'Rahul',
	'Elif',
	'Noémie',
	'Thabo',
	'Mei',
	'Jürgen',
	'Ximena',
	'Aisha',
	'Pavel',
	'Ngozi',
	'Hana',
	'Andrés',
	'Ingrid',
	'Youssef',
	'Katarína',
	'Liam',
	'Sofía',
	'Ravi',
	'Marit',
	'Gonçalo',
] as const;
const MIDDLE_NAMES = ['', '', '', '', 'Maria', 'J.', 'Lee', 'Anne', 'Kofi', 'de la'] as const;
const LAST_NAMES = [
	'Okafor',
	'Müller',
	'García',
	'Tanaka',
	'Sørensen',
	'Dubois',
	'Mensah',
	'Sharma',
	'Nowak',
	'Ferreira',
	'Haddad',
	'Lindqvist',
	'Trần',
	'Novák',
	"O'Brien",
	'Rahman',
	'Petrov',
	'Kealoha',
	'Hansen',
	'Rossi',
	'Iyer',
	'Yılmaz',
	'Lefèvre',
	'Dlamini',
	'Chen',
	'Schröder',
	'Hernández',
	'Bello',
	'Dvořák',
	'Eze',
	'Kim',
	'Peña',
	'Virtanen',
	'Benali',
	'Horváth',
	'Walsh',
	'Ruiz',
	'Nair',
	'de Vries',
	'Carvalho',
] as const;
const DOMAINS = ['example.com', 'example.org', 'example.net', 'mail.example.com'] as const;
const STREETS = [
	'Harbour Street',
	'Rua das Flores',
	'Lindenweg',
	'Oak Avenue',
	'Calle Mayor',
] as const;
const CITIES = [
	{ city: 'Lisboa', state: 'Lisboa', country: 'PT', zip_code: '1100-148' },
	{ city: 'Kraków', state: 'Małopolskie', country: 'PL', zip_code: '31-044' },
	{ city: 'Austin', state: 'TX', country: 'US', zip_code: '78701' },
	{ city: 'Manila', state: 'NCR', country: 'PH', zip_code: '1000' },
	{ city: 'Ciudad de México', state: 'CDMX', country: 'MX', zip_code: '06000' },
	{ city: 'Lagos', state: 'Lagos', country: 'NG', zip_code: '101241' },
	{ city: '東京', state: '東京都', country: 'JP', zip_code: '100-0001' },
	{ city: 'København', state: 'Hovedstaden', country: 'DK', zip_code: '1050' },
] as const;
const UNITS = ['', '', '', 'Flat 2', '3rd floor', 'Unit B'] as const;

/** Makes a person; `number` keeps the e-mail address apart from every other's. */
export function makePerson(randomness: Randomness, number: number): Person {
	const firstName = randomness.pick(FIRST_NAMES);
	const lastName = randomness.pick(LAST_NAMES);
	const mailbox = `${plain(firstName)}.${plain(lastName)}${number}`;
	return {
		firstName,
		middleName: randomness.pick(MIDDLE_NAMES),
		lastName,
		email: `${mailbox}@${randomness.pick(DOMAINS)}`,
		home: {
			line_1: `${randomness.below(180) + 1} ${randomness.pick(STREETS)}`,
			line_2: randomness.pick(UNITS),
			...randomness.pick(CITIES),
		},
	};
}

/** ASCII letters only, as mailboxes have them. */
function plain(name: string): string {
	return name
		.normalize('NFD')
		.toLowerCase()
		.replaceAll('ø', 'o')
		.replaceAll('ł', 'l')
		.replaceAll('ı', 'i')
		.replaceAll(/[^a-z]/g, '');
}
