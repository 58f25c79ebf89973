import { touchedByCollectionPatch, touchedByPatch, touchedByStock } from "../changeSets/Touched.ts"
import { isObject, type JsonObject } from "../json/Json.ts"
import type { Members } from "../journal/Conflicts.ts"

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

type TouchedBy = (payload: JsonObject, state: JsonObject) => Members

/** Members that each procedure touches, by its payload and the state of its resource. */
export const TOUCHED_BY = {
  "products.create": () => [],
  "products.update": ({ patch }, { variants }) => touchedByPatch(objectOf(patch), listOf(variants)),
  "products.delete": () => null,
  "collections.create": () => [],
  "collections.update": ({ patch }) => touchedByCollectionPatch(objectOf(patch)),
  "collections.delete": () => null,
  "inventory.change": ({ change }) => {
    const { stock, variantId } = objectOf(change)
    return touchedByStock(stock !== undefined, typeof variantId === "string" ? variantId : undefined)
  },
  // Decides the conflicts of its operations when it applies them.
  "changeSets.apply": () => [],
  "files.fetch": () => []
} satisfies Record<string, TouchedBy>

const procedures = new Map<string, TouchedBy>(Object.entries(TOUCHED_BY))

/**
 * Returns the members that a proposed call touches (docs/spec/proposals.md): the whole resource if the agent requires its
 * version, or if the procedure is unknown.
 */
export const touchedByCall =
  (procedure: string, payload: JsonObject) =>
  (state: JsonObject): Members =>
    payload["expectedVersion"] === undefined ? (procedures.get(procedure)?.(payload, state) ?? null) : null
