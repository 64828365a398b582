const ABBREVIATIONS: Readonly<Record<string, string>> = { kyc: 'KYC', rsk: 'RSK' };

function titleOf(words: string): string {
	return words
		.split(/[._]/)
		.map((word) => ABBREVIATIONS[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
		.join(' ');
}

/** "deposit.received" for people: "Deposit: Received". */
export function eventTypeName(eventType: string): string {
	const [group = '', ...event] = eventType.split('.');
	return event.length === 0 ? titleOf(group) : `${titleOf(group)}: ${titleOf(event.join('.'))}`;
}

/** Event types as options, in the order of their names, so that each group stands together. */
export function eventTypeOptions<EventType extends string>(eventTypes: readonly EventType[]) {
	return eventTypes
		.map((value) => ({ name: eventTypeName(value), value }))
		.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
