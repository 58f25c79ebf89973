import { Effect, Schema } from "effect"
import type { Proposal } from "../../../domain/access/Proposals.ts"
import { touchedByCall } from "../../../domain/access/ProposedMembers.ts"
import { CatalogKind } from "../../../domain/journal/Kinds.ts"
import { isObject, type JsonObject } from "../../../domain/json/Json.ts"
import type { DryRunResult } from "../../../domain/DryRun.ts"
import { type Client, CollectionId, ProductId, type StoreId } from "../../../rpc/Client.ts"
import { applyChangeSet } from "../../../rpc/groups/ChangeSets.ts"
import { createCollection, deleteCollection, updateCollection } from "../../../rpc/groups/Collections.ts"
import { changeInventory, createProduct, deleteProduct, updateProduct } from "../../../rpc/groups/Products.ts"
import { isWhole } from "../../../domain/catalog/Inventory.ts"
import { newIdempotencyKey, requireDryRun } from "../../shared/data/queries.ts"
import { nameEntries, type NamedEntry } from "../activity/entries.ts"
import { formOf, type ProposalForm } from "./proposalForm.ts"
import { proposalTexts } from "./proposalTexts.ts"

type ProposalRecord = typeof Proposal.Type

type TitledProcedure = keyof typeof proposalTexts.actions

const isTitled = (procedure: string): procedure is TitledProcedure => Object.hasOwn(proposalTexts.actions, procedure)

/** Procedures without a dry run. */
type DescribedProcedure = "files.fetch" | "changeSets.apply"

type KnownProcedure = Exclude<TitledProcedure, DescribedProcedure>

const isDescribed = (procedure: TitledProcedure): procedure is DescribedProcedure =>
  procedure === "files.fetch" || procedure === "changeSets.apply"

const nameIn = (side: unknown) => {
  const name = isObject(side) ? (side["name"] ?? side["title"]) : undefined
  return typeof name === "string" ? name : undefined
}

/** Reason that the agent gave for the write. A change of stock can have its own. */
export const reasonOf = ({ payload: { change, reason } }: ProposalRecord): string | undefined => {
  const given = (isObject(change) ? change["reason"] : undefined) ?? reason
  return typeof given === "string" ? given : undefined
}

const textIn = (payload: JsonObject, name: string) => {
  const text = payload[name]
  return typeof text === "string" ? text : ""
}

/** Describes a call that has no dry run. */
const describeCall = (client: Client, storeId: StoreId, procedure: DescribedProcedure, payload: JsonObject) => {
  if (procedure === "files.fetch") return Effect.succeed(proposalTexts.card.fetch(textIn(payload, "url")))
  return Effect.flatMap(
    Effect.orDie(Schema.decodeUnknownEffect(applyChangeSet.payloadSchema)({ ...payload, storeId })),
    ({ id }) =>
      Effect.map(client.changeSets.get({ storeId, id }), ({ counts, note }) =>
        [...(note === null ? [] : [`${note}:`]), proposalTexts.card.changeSet(counts.changed)].join(" ")
      )
  )
}

/** Title of a proposal, such as "Update Cup". */
const proposalTitle = (
  { basedOn: [first], payload, procedure }: ProposalRecord,
  names: ReadonlyMap<string, string>
): string => {
  if (!isTitled(procedure)) return procedure
  const name =
    procedure === "files.fetch"
      ? (URL.parse(textIn(payload, "url"))?.host ?? "")
      : (names.get(first?.id ?? "") ??
        CatalogKind.literals.map((kind) => nameIn(payload[kind])).find((name) => name !== undefined) ??
        proposalTexts.deletedItem)
  return proposalTexts.actions[procedure](name)
}

/** Dry run of the proposed call, as the current member with a new idempotency key. */
const dryRunProposal = ({ collections, inventory, products }: Client, procedure: KnownProcedure, input: JsonObject) => {
  const decoded = <A, I>(payload: Schema.Codec<A, I>) => Effect.orDie(Schema.decodeUnknownEffect(payload)(input))
  switch (procedure) {
    case "products.create":
      return Effect.flatMap(decoded(createProduct.payloadSchema), (request) => requireDryRun(products.create(request)))
    case "products.update":
      return Effect.flatMap(decoded(updateProduct.payloadSchema), (request) => requireDryRun(products.update(request)))
    case "products.delete":
      return Effect.flatMap(decoded(deleteProduct.payloadSchema), (request) => requireDryRun(products.delete(request)))
    case "inventory.change":
      return Effect.flatMap(decoded(changeInventory.payloadSchema), (request) =>
        Effect.flatMap(requireDryRun(inventory.change(request)), ({ resource, ...result }) =>
          // Members see whole products.
          isWhole(resource)
            ? Effect.succeed({ ...result, resource })
            : Effect.die(new Error("The product is not whole"))
        )
      )
    case "collections.create":
      return Effect.flatMap(decoded(createCollection.payloadSchema), (request) =>
        requireDryRun(collections.create(request))
      )
    case "collections.update":
      return Effect.flatMap(decoded(updateCollection.payloadSchema), (request) =>
        requireDryRun(collections.update(request))
      )
    case "collections.delete":
      return Effect.flatMap(decoded(deleteCollection.payloadSchema), (request) =>
        requireDryRun(collections.delete(request))
      )
  }
}

/** Preview of a proposal. */
export type ProposalPreview =
  | {
      readonly _tag: "Ready"
      readonly before: JsonObject | null
      /** Null if the resource is deleted. */
      readonly after: JsonObject | null
      readonly dryRun: DryRunResult
      readonly form: ProposalForm | undefined
    }
  | { readonly _tag: "Described"; readonly text: string }
  | { readonly _tag: "Moved"; readonly changes: ReadonlyArray<NamedEntry> }
  | { readonly _tag: "Unknown" }

/** Reads of the current state of a resource of each kind; null if it does not exist. */
const READS = {
  product: (client: Client, storeId: StoreId, id: string) =>
    Effect.catchTag(client.products.get({ storeId, id: ProductId.make(id) }), "ProductNotFound", () =>
      Effect.succeed(null)
    ),
  collection: (client: Client, storeId: StoreId, id: string) =>
    Effect.catchTag(client.collections.get({ storeId, id: CollectionId.make(id) }), "CollectionNotFound", () =>
      Effect.succeed(null)
    )
} satisfies Record<CatalogKind, unknown>

/** Entries of a resource that are searched for later changes. */
const MAX_ENTRIES = 20

const changesSince = (client: Client, storeId: StoreId, { id, resource, version }: ProposalRecord["basedOn"][number]) =>
  Effect.flatMap(client.activity.list({ storeId, resource, resourceId: id, limit: MAX_ENTRIES }), ({ items }) =>
    nameEntries(
      client,
      storeId,
      items.filter(({ versions }) => versions.after === null || versions.after > version)
    )
  )

const isGone = (resource: object) => "deleted" in resource

/**
 * True if a change since the proposal overlaps with it. Only the approval compares single variants, and finds changes that
 * are not listed.
 */
const isTouched = ({ payload, procedure }: ProposalRecord, before: object, changes: ReadonlyArray<NamedEntry>) => {
  const touched = touchedByCall(procedure, payload)({ ...before })
  return (
    touched === null ||
    changes.some((entry) =>
      entry.before === null || entry.after === null
        ? true
        : [...Object.keys({ ...entry.before, ...entry.after }), ...entry.omitted].some((name) => touched.includes(name))
    )
  )
}

/** Runs the dry run, unless others changed since the proposal what it touches. */
export const previewProposal = Effect.fnUntraced(function* (
  client: Client,
  storeId: StoreId,
  proposal: ProposalRecord
) {
  const { payload, procedure } = proposal
  const [base] = proposal.basedOn
  const before = base === undefined ? null : yield* READS[base.resource](client, storeId, base.id)
  if (base !== undefined && before?.version !== base.version) {
    const changes = yield* changesSince(client, storeId, base)
    if (before === null || isTouched(proposal, before, changes)) {
      return { _tag: "Moved", changes } satisfies ProposalPreview
    }
  }
  if (!isTitled(procedure)) return { _tag: "Unknown" } satisfies ProposalPreview
  if (isDescribed(procedure)) {
    return {
      _tag: "Described",
      text: yield* describeCall(client, storeId, procedure, payload)
    } satisfies ProposalPreview
  }
  const request = { ...payload, storeId, idempotencyKey: newIdempotencyKey(), dryRun: true }
  const { resource, ...dryRun } = yield* dryRunProposal(client, procedure, request)
  return {
    _tag: "Ready",
    before,
    after: isGone(resource) ? null : { ...resource },
    dryRun,
    form: formOf(proposal, resource)
  } satisfies ProposalPreview
})

/** Proposal with its title and the name of the agent. */
export type NamedProposal = ProposalRecord & { readonly title: string; readonly agentName: string }

type ListProposalsRequest = Parameters<Client["proposals"]["list"]>[0]

/** Page of proposals with names, loaded with one additional request. */
export const listProposals = Effect.fnUntraced(function* (client: Client, request: ListProposalsRequest) {
  const { storeId }: { readonly storeId: StoreId } = request
  const { items, nextCursor } = yield* client.proposals.list(request)
  const ids = [...new Set(items.flatMap(({ agentId, basedOn }) => [agentId, ...basedOn.map(({ id }) => id)]))]
  const resources = yield* client.activity.names({ storeId, ids })
  const names = new Map(resources.map(({ id, name }) => [id, name]))
  return {
    items: items.map((proposal): NamedProposal => ({
      ...proposal,
      title: proposalTitle(proposal, names),
      agentName: names.get(proposal.agentId) ?? proposalTexts.formerAgent
    })),
    nextCursor
  }
})
