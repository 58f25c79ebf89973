import { Schema } from "effect"

/** Every permission that is no scope: an app declares it too, and the merchant grants it (decisions, section 7). */
export const Capability = Schema.Literals(["app_storage", "customer_pii"])
export type Capability = typeof Capability.Type

/** As of scopes, an app can be granted only what it declared. */
export class CapabilitiesNotDeclared extends Schema.TaggedError<CapabilitiesNotDeclared>()("CapabilitiesNotDeclared", {
  capabilities: Schema.Array(Capability)
}) {
  override get message() {
    return `The app does not declare ${this.capabilities.join(", ")}; leave them out or declare them on the app`
  }
}
