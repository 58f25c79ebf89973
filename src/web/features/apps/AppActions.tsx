import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { DATA_HOURS } from "../../../domain/access/InstallationState.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { appTexts } from "./appTexts.ts"

interface AppActionsProps {
  readonly app: typeof InstalledApp.Type
}

/** Suspends, resumes or uninstalls an app. */
export const AppActions = ({ app: { appName, id, state } }: AppActionsProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [openDialog, setOpenDialog] = useState<"suspend" | "uninstall">()
  const isSuspended = state === "suspended"
  const invalidates = [
    [storeId, "app", id],
    [storeId, "apps"]
  ]
  const close = () => {
    setOpenDialog(undefined)
    suspend.reset()
    uninstall.reset()
  }
  const suspend = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.suspend({ storeId, id, idempotencyKey }),
    invalidates,
    onSuccess: () => {
      setOpenDialog(undefined)
      toast(appTexts.actions.suspended(appName))
    }
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.resume({ storeId, id, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.actions.resumed(appName))
  })
  const uninstall = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.uninstall({ storeId, id, idempotencyKey }),
    invalidates: [[storeId, "apps"]],
    onSuccess: () => {
      toast(appTexts.actions.uninstalled(appName))
      void navigate({ to: "/dashboard/$storeId/apps", params: { storeId } })
    }
  })
  return (
    <>
      {resume.error === null ? undefined : <ErrorNotice error={resume.error} />}
      <Button onClick={() => (isSuspended ? resume.mutate() : setOpenDialog("suspend"))} isBusy={resume.isPending}>
        {isSuspended ? appTexts.actions.resume : appTexts.actions.suspend}
      </Button>
      <Button kind="danger" onClick={() => setOpenDialog("uninstall")}>
        {appTexts.actions.uninstall}
      </Button>
      <Confirm
        title={appTexts.actions.confirmSuspend(appName)}
        action={appTexts.actions.suspend}
        isOpen={openDialog === "suspend"}
        close={close}
        confirm={() => suspend.mutate()}
        isBusy={suspend.isPending}
        error={suspend.error}
      >
        <Stack>
          <p>{appTexts.actions.suspendBlocksRequests}</p>
          <p>{appTexts.actions.suspendDropsEvents}</p>
        </Stack>
      </Confirm>
      <Confirm
        title={appTexts.actions.confirmUninstall(appName)}
        action={appTexts.actions.uninstall}
        isOpen={openDialog === "uninstall"}
        close={close}
        confirm={() => uninstall.mutate()}
        isBusy={uninstall.isPending}
        error={uninstall.error}
      >
        <Stack>
          <p>{appTexts.actions.uninstallEndsAccess}</p>
          <p>{appTexts.actions.uninstallDeletesData(DATA_HOURS)}</p>
        </Stack>
      </Confirm>
    </>
  )
}
