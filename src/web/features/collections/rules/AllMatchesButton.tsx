import { useState } from "react"
import type { Rule } from "../../../../domain/catalog/Rule.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import type { CollectionId } from "../../../../rpc/Client.ts"
import { newIdempotencyKey, useRpcQuery } from "../../../shared/data/queries.ts"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { QueryBoundary } from "../../../shared/ui/display/QueryBoundary.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { VirtualProductList } from "../VirtualProductList.tsx"
import { collectionTexts } from "../collectionTexts.ts"

interface AllMatchesProps {
  readonly id: CollectionId
  readonly rules: { readonly rules: ReadonlyArray<Rule>; readonly disjunctive: boolean }
  readonly productCount: number
}

/** Opens the list of all matching products. The preview shows only the first. */
export const AllMatchesButton = ({ id, productCount, rules }: AllMatchesProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{collectionTexts.matches.showAll(productCount)}</Button>
      <Dialog title={collectionTexts.matches.all} isOpen={isOpen} close={() => setOpen(false)} isWide>
        <AllMatchesList id={id} rules={rules} />
      </Dialog>
    </>
  )
}

const AllMatchesList = ({ id, rules }: Pick<AllMatchesProps, "id" | "rules">) => {
  const storeId = useStoreId()
  const patch = { type: "automated", ...rules } as const
  const query = useRpcQuery([storeId, "products", "matches", id, canonical(rules)], (client) =>
    client.collections.update({ storeId, id, patch, idempotencyKey: newIdempotencyKey(), dryRun: true })
  )
  return (
    <QueryBoundary query={query}>
      {(result) =>
        "dryRun" in result ? (
          <VirtualProductList ids={result.resource.productIds} label={collectionTexts.matches.all} />
        ) : undefined
      }
    </QueryBoundary>
  )
}
