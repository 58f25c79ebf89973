import { Context, type Effect, Schema } from "effect"
import { Uuid } from "../Uuid.ts"
import type { Grants } from "./AccessRule.ts"
import { Capability } from "./Capability.ts"
import { Scope } from "./Scope.ts"

export const AppId = Uuid.pipe(Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** An app as operators see it. */
export const AppSummary = Schema.Struct({
  appId: Schema.typeSchema(AppId),
  name: Schema.String,
  scopes: Schema.Array(Scope),
  capabilities: Schema.Array(Capability),
  /** The active ones. */
  installations: Schema.Int,
  createdAt: Schema.DateFromSelf
})
export type AppSummary = typeof AppSummary.Type

export class AppNotFound extends Schema.TaggedError<AppNotFound>()("AppNotFound", { id: AppId }) {
  override get message() {
    return `There is no app ${this.id}; see: apps list`
  }
}

/** The apps that can be installed on stores. */
export class Apps extends Context.Tag("domain/Apps")<
  Apps,
  {
    readonly create: (app: Grants & { readonly name: string }) => Effect.Effect<AppId>
    /** The newest apps, at most `limit`. */
    readonly list: (limit: number) => Effect.Effect<ReadonlyArray<AppSummary>>
  }
>() {}
