import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { DATA_HOURS } from "../../../domain/access/InstallationState.ts"
import type { InstalledApp } from "../../../domain/access/Installations.ts"
import { useWrite } from "../../data/Queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { Stack } from "../../ui/Page.tsx"
import { Trouble } from "../../ui/States.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"

interface AppActionsProps {
  readonly app: typeof InstalledApp.Type
}

/** Lets an app stand still, go on, or go. */
export const AppActions = ({ app: { appName, id, state } }: AppActionsProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [asking, setAsking] = useState<"suspend" | "uninstall">()
  const isSuspended = state === "suspended"
  const touches = [
    [storeId, "app", id],
    [storeId, "apps"]
  ]
  const close = () => {
    setAsking(undefined)
    suspend.reset()
    uninstall.reset()
  }
  const suspend = useWrite({
    write: (client, _: void, idempotencyKey) => client.installations.suspend({ storeId, id, idempotencyKey }),
    touches,
    done: () => {
      setAsking(undefined)
      toast(`${appName} is suspended`)
    }
  })
  const resume = useWrite({
    write: (client, _: void, idempotencyKey) => client.installations.resume({ storeId, id, idempotencyKey }),
    touches,
    done: () => toast(`${appName} goes on`)
  })
  const uninstall = useWrite({
    write: (client, _: void, idempotencyKey) => client.installations.uninstall({ storeId, id, idempotencyKey }),
    touches: [[storeId, "apps"]],
    done: () => {
      toast(`${appName} is uninstalled`)
      void navigate({ to: "/dashboard/$storeId/apps", params: { storeId } })
    }
  })
  return (
    <>
      {resume.error === null ? undefined : <Trouble error={resume.error} />}
      <Button onClick={() => (isSuspended ? resume.mutate() : setAsking("suspend"))} isBusy={resume.isPending}>
        {isSuspended ? "Resume" : "Suspend"}
      </Button>
      <Button kind="danger" onClick={() => setAsking("uninstall")}>
        Uninstall
      </Button>
      <Confirm
        title={`Suspend ${appName}?`}
        action="Suspend"
        isOpen={asking === "suspend"}
        close={close}
        confirm={() => suspend.mutate()}
        isBusy={suspend.isPending}
        error={suspend.error}
      >
        <Stack>
          <p>From then on all of its requests are refused, and nothing is delivered to it.</p>
          <p>You can resume it at any time: it keeps what it has. What happens until then it is never told.</p>
        </Stack>
      </Confirm>
      <Confirm
        title={`Uninstall ${appName}?`}
        action="Uninstall"
        isOpen={asking === "uninstall"}
        close={close}
        confirm={() => uninstall.mutate()}
        isBusy={uninstall.isPending}
        error={uninstall.error}
      >
        <Stack>
          <p>
            This cannot be taken back: it loses its access at once, what was to be delivered to it is not, and its
            subscription is cancelled.
          </p>
          <p>
            It can be installed again. What it keeps with your store is deleted {DATA_HOURS} hours from now unless it
            is.
          </p>
        </Stack>
      </Confirm>
    </>
  )
}
