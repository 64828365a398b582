import { run } from '../../scripts/lib/processes.mjs';
import type { N8nProcess } from './n8nProcess';
import { psql } from './postgreSql';

/** A database of a PostgreSQL server on this machine. */
export interface PostgresDatabase {
	readonly port: number;
	readonly name: string;
}

/** The database of a running n8n, read from outside: its SQLite file, unless another is named. */
export class N8nDatabase {
	constructor(
		private readonly n8nProcess: N8nProcess,
		private readonly postgres?: PostgresDatabase,
	) {}

	/** The executions of a workflow, oldest first, without their data. */
	async executions(workflowId: string): Promise<{ id: string; status: string; mode: string }[]> {
		const rows = await this.query(
			`select id, status, mode from execution_entity where "workflowId" = '${workflowId}' order by id`,
		);
		return rows.map(({ id, status, mode }) => ({
			id: String(id),
			status: String(status),
			mode: String(mode),
		}));
	}

	/** The rows that a query gives; names in camel case go in double quotes. */
	async query(sql: string): Promise<Record<string, unknown>[]> {
		if (this.postgres === undefined) {
			return await this.evaluate('return database.prepare(input).all();', sql);
		}
		const { port, name } = this.postgres;
		const rows = `select coalesce(json_agg(found), '[]') from (${sql}) found`;
		return JSON.parse(await psql(port, rows, name));
	}

	/** Where n8n's database or log contains a text: each `table.column` once, or the log's name. */
	async placesOf(text: string): Promise<string[]> {
		const sought = text.replaceAll("'", "''");
		const columns = await this.query(
			this.postgres === undefined
				? `select t.name as "table", c.name as "column"
					from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'`
				: `select table_name as "table", column_name as "column"
					from information_schema.columns where table_schema = 'public'`,
		);
		const holds = ({ column }: Record<string, unknown>) =>
			this.postgres === undefined
				? `instr("${column}", '${sought}')`
				: `strpos(cast("${column}" as text), '${sought}')`;
		const searches = columns.map(
			(one) => `select '${one.table}.${one.column}' as place
				where exists (select 1 from "${one.table}" where ${holds(one)} > 0)`,
		);
		const places: string[] = [];
		/* SQLite takes 500 queries at once. */
		for (let start = 0; start < searches.length; start += 400) {
			const found = await this.query(searches.slice(start, start + 400).join(' union all '));
			places.push(...found.map(({ place }) => String(place)));
		}
		return this.n8nProcess.log.includes(text) ? [...places, 'n8n.log'] : places;
	}

	/**
	 * Runs a function body over `database` and `input` in n8n's Node.js, since the oldest Node.js that
	 * runs the tests has no SQLite. Waits while n8n 1.x locks the file.
	 */
	private async evaluate<Result>(body: string, input: string): Promise<Result> {
		const script = `
			const { DatabaseSync } = require('node:sqlite');
			const [, file, input] = process.argv;
			const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
			console.log(JSON.stringify((() => { ${body} })()));`;
		const { installation, databaseFile } = this.n8nProcess;
		const args = ['--no-warnings', '-e', script, databaseFile, input];
		return JSON.parse(await run(installation.node, args, { env: installation.env }));
	}
}
