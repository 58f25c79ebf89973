import { Toast } from "@base-ui/react/toast"
import { StrictMode } from "react"
import { flushSync } from "react-dom"
import { createRoot } from "react-dom/client"
import type { ToastAction } from "./Toasts.tsx"
import css from "./Display.module.css"
import { uiTexts } from "../../sharedTexts.ts"

const manager = Toast.createToastManager<{ readonly more?: ToastAction | undefined }>()

export const show = (title: string, action?: ToastAction, more?: ToastAction): void => {
  manager.add({
    title,
    data: { more },
    ...(action === undefined ? {} : { actionProps: { children: action.name, onClick: action.run } })
  })
}

const MoreAction = ({ name, run }: ToastAction) => (
  <button type="button" className={css["action"]} onClick={run}>
    {name}
  </button>
)

const ToastList = () => {
  const { toasts } = Toast.useToastManager<{ readonly more?: ToastAction | undefined }>()
  return toasts.map((one) => (
    <Toast.Root key={one.id} toast={one} className={css["toast"]}>
      {/* Not a heading: a toast is outside the outline of the page. */}
      <Toast.Title className={css["toastTitle"]} render={<p />} />
      <Toast.Action className={css["action"]} />
      {one.data?.more === undefined ? undefined : <MoreAction {...one.data.more} />}
      <Toast.Close className={css["action"]} aria-label={uiTexts.toast.dismiss}>
        ✕
      </Toast.Close>
    </Toast.Root>
  ))
}

const container = document.createElement("div")
document.body.append(container)

// Mounted before the module is complete: the manager drops toasts that nobody shows.
flushSync(() =>
  createRoot(container).render(
    <StrictMode>
      <Toast.Provider toastManager={manager}>
        <Toast.Portal>
          <Toast.Viewport className={css["viewport"]}>
            <ToastList />
          </Toast.Viewport>
        </Toast.Portal>
      </Toast.Provider>
    </StrictMode>
  )
)
