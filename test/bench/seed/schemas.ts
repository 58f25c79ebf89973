import type Pg from "pg"
import { CollectionDocument, ProductDocument } from "../../../src/domain/catalog/Documents.ts"
import { CustomerDocument, OrderDocument } from "../../../src/domain/records/Documents.ts"

const DOCUMENTS = {
  products: ProductDocument,
  collections: CollectionDocument,
  orders: OrderDocument,
  customers: CustomerDocument
}

/** Makes seeded documents those of this release: reads complete others. Builds before 0.2.0 have no such columns. */
export const nameSchemas = async (db: Pg.Client): Promise<void> => {
  for (const [table, { schemaHash }] of Object.entries(DOCUMENTS)) {
    await db.query(`do $$
      begin
        alter table ${table} alter column schema_hash set default ${schemaHash};
      exception when undefined_column then null;
      end $$`)
  }
}
