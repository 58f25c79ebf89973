import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Grants } from "../../domain/access/AccessRule.ts"
import { type AppClient, AppNotFound, NoClientSecret } from "../../domain/access/Apps.ts"
import { AppId, type MerchantId } from "../../domain/access/Ids.ts"
import { redirectsOf } from "../../domain/oauth/Redirects.ts"
import { sha256, newToken } from "../Secrets.ts"
import { textArray } from "../sql/ArrayLiterals.ts"
import { orDefect } from "../sql/Errors.ts"
import { requiredRowReader, rowReader } from "../sql/Rows.ts"

const readInserted = requiredRowReader(Schema.Struct({ id: Schema.toType(AppId) }))

const LockedApp = Schema.Struct({ id: Schema.toType(AppId), isPublic: Schema.Boolean })

const readLocked = rowReader(LockedApp)

const readPrevious = requiredRowReader(Schema.Struct({ previousUntil: Schema.NullOr(Schema.Date) }))

/** Returns the distinct texts as an array of PostgreSQL. */
export const distinctArrayOf = (texts: ReadonlyArray<string>) => textArray([...new Set(texts)])

/** Writes of apps and their client secrets. */
export class AppRepository extends Context.Service<AppRepository>()("layers/access/AppRepository", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /**
     * Adds a secret of 256 random bits to an app. The newest secret before it expires after `overlapHours`, all others
     * immediately. Callers hold the lock of the app: two concurrent additions would leave three secrets.
     */
    const addSecret = Effect.fn("AppRepository.addSecret")(function* (app: AppId, overlapHours: number) {
      const secret = newToken("app_secret_")
      const { previousUntil } = yield* readPrevious(sql`
        with expired as (
          delete from client_secrets where app_id = ${app} and (ends_at is not null or ${overlapHours}::integer = 0)
        ), replaced as (
          update client_secrets set ends_at = statement_timestamp() + ${overlapHours}::integer * interval '1 hour'
          where app_id = ${app} and ends_at is null and ${overlapHours}::integer > 0
          returning ends_at
        ), added as (
          insert into client_secrets (app_id, id, secret_hash)
          values (${app}, uuid_v7(clock_micros()), ${sha256(secret)})
        )
        select (select ends_at from replaced) as "previousUntil"
      `)
      return { secret, previousUntil }
    }, orDefect)

    return {
      /** Inserts an app, if its redirect URIs may be registered. */
      insert: Effect.fn("AppRepository.insert")(function* ({
        capabilities,
        developer = null,
        isPublic = false,
        logoUrl = null,
        name,
        redirectUris = [],
        scopes,
        website = null
      }: Grants & Partial<AppClient> & { readonly name: string }) {
        const redirects = yield* Effect.fromResult(redirectsOf(redirectUris, isPublic))
        const { id } = yield* readInserted(sql`
          insert into apps (id, name, scopes, capabilities, developer_id, website, logo_url, is_public, redirect_uris)
          values (
            uuid_v7(clock_micros()), ${name}, ${distinctArrayOf(scopes)}, ${distinctArrayOf(capabilities)}, ${developer},
            ${website}, ${logoUrl}, ${isPublic}, ${distinctArrayOf(redirects)}
          ) returning id
        `)
        return id
      }, orDefect),

      /** Locks an app against other changes until the transaction ends. If `developer` is given, only one of theirs. */
      lock: Effect.fn("AppRepository.lock")(function* (id: AppId, developer: MerchantId | null = null) {
        const app = yield* readLocked(sql`
          select id, is_public as "isPublic" from apps
          where id = ${id} and (${developer}::uuid is null or developer_id = ${developer}) for no key update
        `)
        return Option.isSome(app) ? app.value : yield* new AppNotFound({ id })
      }, orDefect),

      addSecret,

      /** Adds a secret to an app unless it is public. */
      rotateSecret: Effect.fn("AppRepository.rotateSecret")(function* (
        { id, isPublic }: typeof LockedApp.Type,
        overlapHours: number
      ) {
        if (isPublic) return yield* new NoClientSecret({ id })
        return yield* addSecret(id, overlapHours)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
