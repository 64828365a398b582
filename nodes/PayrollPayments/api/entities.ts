import { identifier } from '../shared/identifier';

/** A team, company or user, and the name that people know it by. */
export interface Entity {
	readonly id: string;
	readonly name: string;
}

const entityId = identifier('te', 'co', 'us');

/**
 * Reads *Teams and Companies* of the credentials: on each line an identifier and a name, such as
 * `te-a1B2c3D4e5F6 Engineering`. Without a name, the identifier stands for it.
 * @returns a fault that fits after the field's label
 */
export function parseEntities(text: unknown): readonly Entity[] | { readonly fault: string } {
	if (text === undefined || text === null) return [];
	if (typeof text !== 'string') return { fault: 'must be text' };
	const entities = new Map<string, Entity>();
	for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
		const [, id = '', name = ''] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? [];
		if (id === '') continue;
		const read = entityId.safeParse(id);
		if (!read.success) {
			const fault = read.error.issues[0]?.message ?? "isn't valid";
			return { fault: `has a wrong ID in line ${index + 1}: ${id} ${fault}` };
		}
		if (entities.has(id)) return { fault: `lists ${id} twice, again in line ${index + 1}` };
		entities.set(id, { id, name: name === '' ? id : name });
	}
	return [...entities.values()];
}

/** "Engineering (te-a1B2c3D4e5F6)", or the identifier if its name isn't known. */
export function entityLabel(id: string, entities: readonly Entity[]): string {
	const name = entities.find((entity) => entity.id === id)?.name ?? id;
	return name === id ? id : `${name} (${id})`;
}
