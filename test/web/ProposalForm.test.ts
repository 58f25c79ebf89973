import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import type { Proposal } from "../../src/domain/access/Proposals.ts"
import { AgentId } from "../../src/domain/access/Ids.ts"
import { newProduct, ProductId } from "../../src/domain/catalog/Product.ts"
import type { JsonObject } from "../../src/domain/json/Json.ts"
import { ProposalId } from "../../src/rpc/Client.ts"
import { formOf, parseQuantity, withEdits } from "../../src/web/features/proposals/proposalForm.ts"
import { idOf } from "../support/data/Entries.ts"

const at = new Date(0)

const cup = newProduct({ name: "Cup" }, { id: ProductId.make(idOf(1)), slug: "cup", at, currencyCode: "EUR" })

const proposalOf = (payload: JsonObject): typeof Proposal.Type => ({
  id: ProposalId.make(idOf(2)),
  agentId: AgentId.make(idOf(3)),
  procedure: "products.update",
  payload,
  edited: null,
  basedOn: [],
  status: "pending",
  reason: null,
  decidedBy: null,
  decidedAt: null,
  result: [],
  createdAt: at.toISOString(),
  expiresAt: at.toISOString()
})

it("a proposal of fields has controls for them, and names the fields that stay as proposed", () => {
  const proposal = proposalOf({ id: cup.id, patch: { tags: [], price: 4, variants: [] } })
  const form = formOf(proposal, cup)
  if (form?._tag !== "Product") return assert.fail("It has a form of a product")
  assert.deepStrictEqual([...form.fields], ["price", "tags"])
  assert.deepStrictEqual([...form.kept], ["Variants"])
  assert.deepStrictEqual(withEdits(proposal, form, { price: 5 }), {
    id: cup.id,
    patch: { tags: [], price: 5, variants: [] }
  })
})

it("a proposed change of stock has a control for its quantity, which may be negative", () => {
  const proposal = proposalOf({ id: cup.id, change: { adjust: -2, reason: "Damaged" } })
  const form = formOf(proposal, cup)
  if (form?._tag !== "Stock") return assert.fail("It has a form of stock")
  assert.deepInclude(form, { field: "adjust", quantity: -2 })
  const edits = Result.getOrThrow(parseQuantity(form.field, "-3"))
  assert.deepStrictEqual(withEdits(proposal, form, edits)["change"], { adjust: -3, reason: "Damaged" })
  assert.isTrue(Result.isFailure(parseQuantity(form.field, "a few")))
})

it("a proposed deletion, and one of variants only, have no form", () => {
  assert.isUndefined(formOf(proposalOf({ id: cup.id }), { deleted: true }))
  assert.isUndefined(formOf(proposalOf({ id: cup.id, patch: { variants: [], options: [] } }), cup))
})
