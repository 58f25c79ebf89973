import type { UndoResult } from "../../../domain/journal/Undo.ts"
import { performed } from "../../../rpc/Client.ts"
import { errorMessageOf } from "../../shared/data/errorMessages.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useMember, useStoreId } from "../../shared/data/store.ts"
import { entryIdsOf, spanOf } from "./undoPreview.ts"
import { activityTexts } from "./activityTexts.ts"

/** Confirms an undo and offers to redo. A redo is itself an undo of everything that the member's undo wrote. */
export const useUndoToast = () => {
  const storeId = useStoreId()
  const { merchantId } = useMember()
  const redoing = useRpcMutation({
    write: (client, span: { readonly since: string; readonly until: string }, idempotencyKey) =>
      performed(client.activity.undoSpan({ storeId, idempotencyKey, actorId: merchantId, ...span })),
    invalidates: [[storeId, "store"]],
    onSuccess: () => toast(activityTexts.undo.restored)
  })
  return (undone: UndoResult) => {
    const span = spanOf(entryIdsOf(undone))
    if (span === undefined) return toast(activityTexts.undo.nothingToUndo)
    toast(activityTexts.undo.undoneToast(undone.undone.length), {
      name: activityTexts.undo.redo,
      // The page may be unmounted by then, and callbacks of `mutate` would not run.
      run: () =>
        void redoing
          .mutateAsync(span)
          .catch((error: unknown) => toast(activityTexts.undo.redoFailed(errorMessageOf(error).advice)))
    })
  }
}
