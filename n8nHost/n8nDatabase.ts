import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import type { N8nProcess } from './n8nProcess';
import { psql } from './postgreSql';

/** A database of a PostgreSQL server on this machine. */
export interface PostgresDatabase {
	readonly port: number;
	readonly name: string;
}

/** The database of a running n8n, read from outside: its SQLite file, unless another is named. */
export class N8nDatabase {
	private reader: Reader | undefined;

	constructor(
		private readonly n8nProcess: N8nProcess,
		private readonly postgres?: PostgresDatabase,
	) {}

	/** The executions of a workflow, oldest first, without their data. */
	async executions(workflowId: string): Promise<{ id: string; status: string }[]> {
		const rows = await this.query(
			`select id, status from execution_entity where "workflowId" = '${workflowId}' order by id`,
		);
		return rows.map(({ id, status }) => ({ id: String(id), status: String(status) }));
	}

	/** The rows that a query gives; names in camel case go in double quotes. */
	async query(sql: string): Promise<Record<string, unknown>[]> {
		if (this.postgres === undefined) {
			this.reader ??= new Reader(this.n8nProcess);
			return await this.reader.rows(sql);
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

	/** Ends the process that reads it; the next query starts another. */
	async close(): Promise<void> {
		const { reader } = this;
		this.reader = undefined;
		await reader?.end();
	}
}

/**
 * A process of n8n's Node.js that reads the SQLite file, since the oldest Node.js that runs the tests
 * can't.
 */
class Reader {
	private static readonly SCRIPT = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 10_000 });
		const answer = (sql) => {
			try {
				return { rows: database.prepare(sql).all() };
			} catch (error) {
				return { error: String(error) };
			}
		};
		require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
			console.log(JSON.stringify(answer(JSON.parse(line))));
		});`;
	private readonly child;
	private readonly ended;
	private readonly answers;
	private last: Promise<unknown> = Promise.resolve();

	constructor({ installation, databaseFile }: N8nProcess) {
		const args = ['--no-warnings', '--eval', Reader.SCRIPT, databaseFile];
		const child = spawn(installation.node, args, {
			env: installation.env,
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		this.child = child;
		this.ended = once(child, 'close');
		this.answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	}

	/** Queries run one after the other, as the answers come. */
	async rows(sql: string): Promise<Record<string, unknown>[]> {
		const answer = this.last.then(async () => await this.ask(sql));
		this.last = answer.catch(() => undefined);
		return await answer;
	}

	async end(): Promise<void> {
		this.child.stdin.end();
		await this.ended;
	}

	private async ask(sql: string): Promise<Record<string, unknown>[]> {
		this.child.stdin.write(`${JSON.stringify(sql)}\n`);
		const line = await this.answers.next();
		if (line.done === true) throw new Error('The process that reads n8n’s database has ended.');
		const answer: { rows: Record<string, unknown>[] } | { error: string } = JSON.parse(line.value);
		if ('error' in answer) throw new Error(answer.error);
		return answer.rows;
	}
}
