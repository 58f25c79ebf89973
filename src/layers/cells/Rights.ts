import { Effect, Redacted, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { requiredRowReader } from "../sql/Rows.ts"

/*
 * Rights of the roles of `main` and of a cell. PostgreSQL reports one that is missing at a time, so all are checked before
 * the first statement.
 */

const readRole = requiredRowReader(
  Schema.Struct({
    role: Schema.String,
    database: Schema.String,
    isSuperuser: Schema.Boolean,
    isReplicator: Schema.Boolean,
    isSubscriber: Schema.NullOr(Schema.Boolean),
    creates: Schema.Boolean,
    createsTables: Schema.Boolean,
    setsRole: Schema.Boolean,
    foreign: Schema.Array(Schema.String)
  })
)

/** Reads the rights of the current role. `pg_create_subscription` exists from PostgreSQL 16 on. */
const rightsOf = (sql: SqlClient.SqlClient) =>
  readRole(sql`
    select quote_ident(rolname) as role, quote_ident(current_database()) as database, rolsuper as "isSuperuser",
      rolreplication as "isReplicator",
      (select pg_has_role(oid, 'usage') from pg_roles where rolname = 'pg_create_subscription') as "isSubscriber",
      has_database_privilege(current_database(), 'create') as creates,
      has_schema_privilege('public', 'create') as "createsTables",
      has_parameter_privilege('session_replication_role', 'set') as "setsRole",
      array_to_json(array(
        select quote_ident(relname) from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not pg_has_role(relowner, 'usage')
        order by relname
      )) as foreign
    from pg_roles where rolname = current_user
  `)

const common = ({ creates, database, foreign, role, setsRole }: Effect.Success<ReturnType<typeof rightsOf>>) => [
  ...(creates ? [] : [`grant create on database ${database} to ${role}`]),
  ...foreign.map((table) => `alter table ${table} owner to ${role}`),
  // Moves of stores need it.
  ...(setsRole ? [] : [`grant set on parameter session_replication_role to ${role}`])
]

/** Lists the statements that give the role of `main` the rights that it lacks to publish the global tables. */
export const missingInMain = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rights = yield* rightsOf(sql)
  if (rights.isSuperuser) return []
  return [...(rights.isReplicator ? [] : [`alter role ${rights.role} replication`]), ...common(rights)]
})

const hasPassword = (url: Redacted.Redacted) => URL.parse(Redacted.value(url))?.password !== ""

/** Lists the statements that give the role of a cell the rights that it lacks. `source` is the URL that its server connects to. */
export const missingInCell = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, source: Redacted.Redacted) {
  const rights = yield* rightsOf(sql)
  const { createsTables, isSubscriber, isSuperuser, role } = rights
  if (isSuperuser) return []
  // Before PostgreSQL 16, only a superuser may create subscriptions.
  if (isSubscriber === null) return [`alter role ${role} superuser`]
  return [
    ...(isSubscriber ? [] : [`grant pg_create_subscription to ${role}`]),
    ...(rights.isReplicator ? [] : [`alter role ${role} replication`]),
    ...(createsTables ? [] : [`grant create on schema public to ${role}`]),
    ...common(rights),
    ...(hasPassword(source) ? [] : ["give the URL of main a password, in --main-url"])
  ]
})
