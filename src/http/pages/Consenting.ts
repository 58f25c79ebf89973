import { Data, type Effect, type Redacted } from "effect"
import type { Membership } from "../../domain/access/Merchants.ts"
import type { Consent } from "../../domain/oauth/Consents.ts"
import type { StoreNotFound } from "../../domain/Store.ts"
import type { Html } from "./Html.ts"

/** What a merchant is asked: a heading, and what they would agree to, with the fields that hold it. */
export interface Question {
  readonly heading: Html
  readonly terms: Html
}

/** What came back is not what could be agreed to: it is asked once more, and said why. */
export class AskedAgain extends Data.TaggedError("AskedAgain")<{ readonly reason: string }> {}

/** How one kind of client is consented to. */
export interface Consenting {
  readonly ask: (store: Membership) => Effect.Effect<Question>
  /** The code for what the merchant agreed to, who sent the form with the question's fields. */
  readonly agree: (
    consent: Consent,
    form: URLSearchParams
  ) => Effect.Effect<Redacted.Redacted, AskedAgain | StoreNotFound>
}
