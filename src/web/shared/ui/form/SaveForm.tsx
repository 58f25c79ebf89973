import { type ComponentProps, type RefObject, useEffect, useEffectEvent, useRef } from "react"

const dialogOf = (target: EventTarget | null | undefined) =>
  target instanceof Element ? target.closest("[role=dialog], [role=alertdialog]") : null

const isSaveKey = ({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent) =>
  key.toLowerCase() === "s" && (ctrlKey || metaKey) && !altKey && !shiftKey

interface SaveKeys {
  readonly save: () => void
  /** Element of the form. A dialog saves only what it contains. */
  readonly element: RefObject<HTMLElement | null>
  readonly isActive?: boolean
  /** Another key that saves. */
  readonly isKey?: (event: KeyboardEvent) => boolean
}

/** Saves with Ctrl+S or ⌘S. */
export const useSaveKeys = ({ element, isActive = true, isKey = () => false, save }: SaveKeys): void => {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!isSaveKey(event) && !isKey(event)) return
    event.preventDefault()
    if (!event.repeat && dialogOf(event.target) === dialogOf(element.current)) save()
  })
  useEffect(() => {
    if (!isActive) return
    const listener = (event: KeyboardEvent) => onKeyDown(event)
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [isActive])
}

interface SaveFormProps extends Omit<ComponentProps<"form">, "ref"> {
  readonly form?: RefObject<HTMLFormElement | null>
}

/** Form with a save button, which Ctrl+S or ⌘S presses. */
export const SaveForm = ({ children, form, ...props }: SaveFormProps) => {
  const own = useRef<HTMLFormElement>(null)
  const element = form ?? own
  useSaveKeys({
    element,
    save: () => element.current?.querySelector<HTMLButtonElement>("button[type=submit]")?.click()
  })
  return (
    <form {...props} ref={element} noValidate>
      {children}
    </form>
  )
}
