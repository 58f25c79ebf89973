import currencyCodes from "currency-codes"
import { createHash, randomUUID } from "node:crypto"
import type Pg from "pg"
import { slugify } from "transliteration"
import type { Installation } from "./admission.ts"
import { recordEvent } from "./events.ts"
import { notFound, HttpError } from "./errors.ts"
import { type Field, FIELDS, isField, parameterOf, SELECTED } from "./fields.ts"
import type { StoredResponse } from "./idempotency.ts"

/** Row of `products` with API names. */
interface ProductRow {
  readonly id: string
  readonly slug: string
  readonly variants: ReadonlyArray<Variant>
  readonly updatedAt: Date
  readonly [field: string]: unknown
}

interface Variant {
  readonly id?: unknown
  readonly [field: string]: unknown
}

export type ProductBody = { readonly [field in Field]?: unknown } & {
  readonly name?: string
  readonly slug?: string
  readonly price?: number
  readonly discountedPrice?: number | null
  readonly currencyCode?: string
  readonly tags?: ReadonlyArray<string>
  readonly variants?: ReadonlyArray<Variant>
}

export interface ProductPage {
  readonly products: ReadonlyArray<ProductRow>
  readonly nextCursor: string | null
}

const BEFORE_ALL = "00000000-0000-0000-0000-000000000000"

const LIST = {
  name: "list-products",
  text: `select ${SELECTED} from products where store_id = $1 and id > $2 order by id limit $3`
}

export const listProducts = async (
  pool: Pg.Pool,
  storeId: string,
  cursor: string | undefined,
  limit: number
): Promise<ProductPage> => {
  const { rows } = await pool.query<ProductRow>({ ...LIST, values: [storeId, cursor ?? BEFORE_ALL, limit + 1] })
  const products = rows.length > limit ? rows.slice(0, limit) : rows
  return { products, nextCursor: rows.length > limit ? (products.at(-1)?.id ?? null) : null }
}

const COUNT_UP = {
  name: "count-up",
  text: `
    update stores s set product_count = product_count + 1 from plans p
    where s.id = $1 and s.deleted_at is null and p.name = s.plan and s.product_count < p.product_limit
    returning s.currency_code as "currencyCode"
  `
}

const CREATED = Object.entries(FIELDS)

const INSERT = {
  name: "insert-product",
  text: `
    insert into products (store_id, tags_lower, ${CREATED.map(([, [column]]) => column).join(", ")})
    values ($1, $2, ${CREATED.map((_, index) => `$${index + 3}`).join(", ")})
    on conflict (store_id, slug) do nothing
    returning ${SELECTED}
  `
}

/** Normalises a body for storage. */
const normalized = (body: ProductBody): ProductBody => {
  const currencyCode = body.currencyCode?.toUpperCase()
  if (currencyCode !== undefined && currencyCodes.code(currencyCode) === undefined) {
    throw new HttpError(400, "Invalid body", ["currencyCode: must be a currency code of ISO 4217"])
  }
  const tags = body.tags && [
    ...new Map(body.tags.map((tag) => tag.trim()).map((tag) => [tag.toLowerCase(), tag])).values()
  ]
  return { ...body, ...(currencyCode && { currencyCode }), ...(tags && { tags }) }
}

const lower = (tags: ReadonlyArray<string>) => tags.map((tag) => tag.toLowerCase())

const withDefaults = (body: ProductBody, currencyCode: string): ProductBody => {
  const { discountedPrice = null, price = 0, tags = [], variants = [] } = body
  return {
    currencyCode,
    stock: 0,
    isActive: true,
    onSale: discountedPrice !== null && discountedPrice < price,
    taxable: true,
    trackInventory: true,
    productKind: "physical",
    media: [],
    options: [],
    faqs: [],
    metafields: {},
    customFields: [],
    ...body,
    price,
    tags,
    variants: variants.map((variant) => ({ ...variant, id: randomUUID() }))
  }
}

/** Records the event of a write and returns its response. */
const recordWrite = async (
  client: Pg.PoolClient,
  installation: Installation,
  product: ProductRow,
  status: number
): Promise<StoredResponse> => {
  const json = JSON.stringify(product)
  await recordEvent(client, installation, product.updatedAt, json)
  return { status, body: `{"data":${json}}` }
}

export const createProduct = async (
  client: Pg.PoolClient,
  installation: Installation,
  input: ProductBody
): Promise<StoredResponse> => {
  const counted = await client.query<{ currencyCode: string }>({ ...COUNT_UP, values: [installation.storeId] })
  const [store] = counted.rows
  if (store === undefined) throw new HttpError(403, "The store's plan allows no more products")

  const product = withDefaults(normalized(input), store.currencyCode)
  const baseSlug = input.slug ?? (slugify(input.name ?? "").slice(0, 240) || `product-${randomUUID().slice(0, 8)}`)
  const insert = async (slug: string) => {
    const values = CREATED.map(([name]) =>
      name === "slug" ? slug : isField(name) ? parameterOf(name, product[name] ?? null) : null
    )
    const { rows } = await client.query<ProductRow>({
      ...INSERT,
      values: [installation.storeId, lower(product.tags ?? []), ...values]
    })
    return rows[0]
  }
  let created = await insert(baseSlug)
  for (let n = 2; created === undefined; n++) {
    if (input.slug !== undefined) throw new HttpError(409, `The slug ${baseSlug} is taken in this store`)
    created = await insert(`${baseSlug}-${n}`)
  }
  return recordWrite(client, installation, created, 201)
}

const LOCK = {
  name: "lock-product",
  text: `select ${SELECTED} from products where store_id = $1 and id = $2 for update`
}

const mergeVariants = (before: ReadonlyArray<Variant>, next: ReadonlyArray<Variant>) => {
  const known = new Map(before.map((variant) => [variant.id, variant]))
  return next.map((variant) => {
    const old = known.get(variant.id)
    return { ...old, ...variant, id: old?.id ?? randomUUID() }
  })
}

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b)

export const updateProduct = async (
  client: Pg.PoolClient,
  installation: Installation,
  id: string,
  input: ProductBody
): Promise<StoredResponse> => {
  const { rows } = await client.query<ProductRow>({ ...LOCK, values: [installation.storeId, id] })
  const [before] = rows
  if (before === undefined) throw notFound(`Product ${id}`)

  const { variants, ...patch } = normalized(input)
  const next: ProductBody = { ...patch, ...(variants && { variants: mergeVariants(before.variants, variants) }) }
  const changed = Object.keys(next)
    .filter(isField)
    .filter((field) => !same(before[field], next[field]))
  if (changed.length === 0) return { status: 200, body: `{"data":${JSON.stringify(before)}}` }

  const values = changed.map((field) => parameterOf(field, next[field]))
  const columns: Array<string> = changed.map((field) => FIELDS[field][0])
  if (next.tags && changed.includes("tags")) {
    columns.push("tags_lower")
    values.push(lower(next.tags))
  }
  const updated = await client.query<ProductRow>({
    name: `update-product-${createHash("md5").update(columns.join()).digest("hex")}`,
    text: `
      update products
      set ${columns.map((column, index) => `${column} = $${index + 3}`).join(", ")},
        version = version + 1, updated_at = now()
      where store_id = $1 and id = $2
      returning ${SELECTED}
    `,
    values: [installation.storeId, id, ...values]
  })
  const [product] = updated.rows
  if (product === undefined) throw notFound(`Product ${id}`)
  return recordWrite(client, installation, product, 200)
}

export interface StockBody {
  readonly stock?: number
  readonly adjust?: number
}

export const stockBody = {
  type: "object",
  properties: { stock: { type: "number", minimum: 0 }, adjust: { type: "number" } },
  oneOf: [{ required: ["stock"] }, { required: ["adjust"] }],
  additionalProperties: false
}

const SET_STOCK = {
  name: "set-stock",
  text: `
    update products set stock = coalesce($3, stock + $4), version = version + 1, updated_at = now()
    where store_id = $1 and id = $2 and coalesce($3, stock + $4) >= 0
    returning ${SELECTED}
  `
}

export const setStock = async (
  client: Pg.PoolClient,
  installation: Installation,
  id: string,
  { adjust, stock }: StockBody
): Promise<StoredResponse> => {
  const { rows } = await client.query<ProductRow>({
    ...SET_STOCK,
    values: [installation.storeId, id, stock ?? null, adjust ?? null]
  })
  const [product] = rows
  if (product !== undefined) return recordWrite(client, installation, product, 200)
  const { rowCount } = await client.query({ ...LOCK, values: [installation.storeId, id] })
  throw rowCount === 0 ? notFound(`Product ${id}`) : new HttpError(422, "The stock is too low")
}
