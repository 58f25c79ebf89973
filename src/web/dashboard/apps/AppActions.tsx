import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { DATA_HOURS } from "../../../domain/access/InstallationState.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { Stack } from "../../ui/layout/Page.tsx"
import { ErrorNotice } from "../../ui/display/QueryBoundary.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useStoreId } from "../store.ts"

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
      toast(`${appName} suspended`)
    }
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.resume({ storeId, id, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(`${appName} resumed`)
  })
  const uninstall = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.installations.uninstall({ storeId, id, idempotencyKey }),
    invalidates: [[storeId, "apps"]],
    onSuccess: () => {
      toast(`${appName} uninstalled`)
      void navigate({ to: "/dashboard/$storeId/apps", params: { storeId } })
    }
  })
  return (
    <>
      {resume.error === null ? undefined : <ErrorNotice error={resume.error} />}
      <Button onClick={() => (isSuspended ? resume.mutate() : setOpenDialog("suspend"))} isBusy={resume.isPending}>
        {isSuspended ? "Resume app" : "Suspend app"}
      </Button>
      <Button kind="danger" onClick={() => setOpenDialog("uninstall")}>
        {" "}
        Uninstall app{" "}
      </Button>
      <Confirm
        title={`Suspend ${appName}?`}
        action="Suspend app"
        isOpen={openDialog === "suspend"}
        close={close}
        confirm={() => suspend.mutate()}
        isBusy={suspend.isPending}
        error={suspend.error}
      >
        <Stack>
          <p>All requests of the app are rejected until you resume it.</p>
          <p>Events sent during the suspension are not delivered. The app keeps its permissions and its data.</p>
        </Stack>
      </Confirm>
      <Confirm
        title={`Uninstall ${appName}?`}
        action="Uninstall app"
        isOpen={openDialog === "uninstall"}
        close={close}
        confirm={() => uninstall.mutate()}
        isBusy={uninstall.isPending}
        error={uninstall.error}
      >
        <Stack>
          <p>
            The app loses access immediately. Its pending deliveries and its subscription are canceled. You cannot undo
            this.
          </p>
          <p>
            You can install the app again. The data that it keeps with your store is deleted after {DATA_HOURS} hours
            unless you do.
          </p>
        </Stack>
      </Confirm>
    </>
  )
}
