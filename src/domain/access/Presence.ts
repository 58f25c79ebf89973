import { Context, type Effect, Schema } from "effect"
import { Timestamp, withDescription } from "../catalog/Fields.ts"
import type { JsonText } from "../json/Document.ts"
import type { StoreId } from "../Store.ts"
import { Uuid } from "../Uuid.ts"
import { MerchantId } from "./Ids.ts"

/** Seconds after its last announcement in which a form counts as open. A client announces it every 20 seconds. */
export const PRESENT_SECONDS = 25

/** Form that several members can have open. */
export const OpenForm = Schema.Struct({
  kind: Schema.Literals(["product", "collection", "store"]).annotate({ description: "Kind of the edited resource" }),
  id: withDescription(Uuid, "Id of the edited resource")
})
export type OpenForm = typeof OpenForm.Type

/** Another member who has a form open. */
export const PresentMember = Schema.Struct({
  memberId: Schema.toType(MerchantId),
  name: Schema.String,
  openedAt: Timestamp
})

/** Members who have a form open, across all server processes. */
export class Presence extends Context.Service<
  Presence,
  {
    /** Records that the member has the form open, and returns the others who do, the earliest first, as JSON. */
    readonly announce: (store: StoreId, member: MerchantId, form: OpenForm) => Effect.Effect<JsonText>
    readonly leave: (store: StoreId, member: MerchantId, form: OpenForm) => Effect.Effect<void>
    /** Deletes one batch of forms that are no longer open and returns its size. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/access/Presence") {}
