import { Schema } from "effect"
import { type ScopeGroup, scopesOfRules } from "../access/Visibility.ts"
import { CollectionId, CreateCollection, UpdateCollection } from "../catalog/Collection.ts"
import { field, optional, withDescription } from "../catalog/Fields.ts"
import { SetInventory, stockOrAdjust } from "../catalog/Inventory.ts"
import { CreateProduct, ProductId, UpdateProduct } from "../catalog/Product.ts"
import { ExternalId } from "../imports/Put.ts"
import { boundedArray } from "../json/Bounded.ts"

/** Maximum number of products that `collection.members` adds or removes. */
const MAX_MEMBERS_CHANGED = 10_000

const expectedVersion = optional(
  Schema.Int.annotate({ message: "must be an integer of at least 1" }).check(
    Schema.isGreaterThan(0, {
      description: "The `version` that was read. The operation is refused if the resource has another version",
      message: "must be an integer of at least 1"
    })
  )
)

const sku = Schema.String.check(
  Schema.makeFilter((text) => text !== "" && text.length <= 255, { message: "must be text of 1 to 255 characters" })
)

const op = <Name extends string>(name: Name) => ({
  op: Schema.Literal(name).annotate({ description: "Kind of the operation" })
})

const product = (names: string) => ({
  id: optional(withDescription(ProductId, `Id of the product. Exactly one of ${names} is required`))
})

const bySku = {
  sku: optional(
    field(
      sku,
      "SKU of the product, or of one of its variants. It is compared exactly, and must name one product",
      "OAK-1"
    )
  )
}

/** Requires exactly one of the members that name a resource. */
const namedOnce = (...members: ReadonlyArray<string>) =>
  Schema.makeFilter<object>(
    (operation) => {
      const count = members.filter((member) => member in operation).length
      return count === 1 ? undefined : { path: [], issue: `must have exactly one of ${members.join(", ")}` }
    },
    { toJsonSchema: () => ({ oneOf: members.map((member) => ({ required: [member] })) }) }
  )

const CreateProductOperation = Schema.Struct({
  ...op("product.create"),
  product: CreateProduct,
  externalId: optional(
    withDescription(
      ExternalId,
      "Id of the product in another system, by which later operations and imports find it. It must be new"
    )
  )
}).annotate({ identifier: "CreateProductOperation", description: "Creates a product" })

const UpdateProductOperation = Schema.Struct({
  ...op("product.update"),
  ...product("`id`, `externalId` and `sku`"),
  externalId: optional(withDescription(ExternalId, "Id of the product in the system that it was imported from")),
  ...bySku,
  patch: UpdateProduct,
  expectedVersion
})
  .annotate({
    identifier: "UpdateProductOperation",
    description: "Changes a product by a JSON Merge Patch at the top level"
  })
  .check(namedOnce("id", "externalId", "sku"))

const DeleteProductOperation = Schema.Struct({
  ...op("product.delete"),
  id: withDescription(ProductId, "Id of the product"),
  expectedVersion
}).annotate({ identifier: "DeleteProductOperation", description: "Deletes a product" })

const ChangeInventoryOperation = Schema.Struct({
  ...op("inventory.change"),
  ...product("`id` and `sku`"),
  ...bySku,
  change: Schema.Struct(SetInventory.fields)
    .annotate({ description: "Exactly one of `stock` and `adjust`, with its options" })
    .check(stockOrAdjust),
  expectedVersion
})
  .annotate({
    identifier: "ChangeInventoryOperation",
    description: "Sets or adjusts the stock of a product, or of the variant with the SKU"
  })
  .check(namedOnce("id", "sku"))

const CreateCollectionOperation = Schema.Struct({
  ...op("collection.create"),
  collection: CreateCollection
}).annotate({ identifier: "CreateCollectionOperation", description: "Creates a collection" })

const collection = { id: withDescription(CollectionId, "Id of the collection") }

const UpdateCollectionOperation = Schema.Struct({
  ...op("collection.update"),
  ...collection,
  patch: UpdateCollection,
  expectedVersion
}).annotate({
  identifier: "UpdateCollectionOperation",
  description: "Changes a collection by a JSON Merge Patch at the top level"
})

const DeleteCollectionOperation = Schema.Struct({
  ...op("collection.delete"),
  ...collection,
  expectedVersion
}).annotate({ identifier: "DeleteCollectionOperation", description: "Deletes a collection, but not its products" })

const members = (description: string) =>
  optional(boundedArray(ProductId, MAX_MEMBERS_CHANGED).annotate({ description }))

const ChangeMembersOperation = Schema.Struct({
  ...op("collection.members"),
  ...collection,
  add: members("Products to add at the end. Products that it contains already keep their places"),
  remove: members("Products to remove. Products that it does not contain are ignored"),
  expectedVersion
}).annotate({
  identifier: "ChangeMembersOperation",
  description: "Adds products to a manual collection and removes others"
})

/** One operation of a change set. */
export const Operation = Schema.Union([
  CreateProductOperation,
  UpdateProductOperation,
  DeleteProductOperation,
  ChangeInventoryOperation,
  CreateCollectionOperation,
  UpdateCollectionOperation,
  DeleteCollectionOperation,
  ChangeMembersOperation
])
export type Operation = typeof Operation.Type

/** Scopes of which an installation or agent needs one for each kind of operation. */
export const SCOPES_OF_OPERATION: Record<Operation["op"], ScopeGroup> = {
  "product.create": ["write_products"],
  "product.update": ["write_products"],
  "product.delete": ["write_products"],
  "inventory.change": ["write_inventory", "write_products"],
  "collection.create": ["write_collections"],
  "collection.update": ["write_collections"],
  "collection.delete": ["write_collections"],
  "collection.members": ["write_collections"]
}

/** Returns the groups of scopes that an operation needs. */
export const scopeGroupsOfOperation = (operation: Operation): ReadonlyArray<ScopeGroup> => {
  const write = SCOPES_OF_OPERATION[operation.op]
  switch (operation.op) {
    case "collection.create":
      return [write, ...scopesOfRules(operation.collection.rules)]
    case "collection.update":
      return [write, ...scopesOfRules(operation.patch.rules)]
    default:
      return [write]
  }
}
