import { createLink, useRouter } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  useContext,
  useEffect,
  useRef
} from "react"
import { uiTexts } from "../uiTexts.ts"
import css from "./Page.module.css"

/** Pages that were visited, for the links that lead back to them. */
interface Visits {
  /** Last search of each path, such as the filters of a list. */
  readonly searches: ReadonlyMap<string, string>
  /** Address of the page that is one step back, if the open page was opened from it. */
  readonly opener: string | undefined
}

const NO_VISITS: Visits = { searches: new Map(), opener: undefined }

const VisitsContext = createContext<{ readonly current: Visits }>({ current: NO_VISITS })

/** Remembers the pages that are left. */
export const VisitedPages = ({ children }: { readonly children: ReactNode }) => {
  const router = useRouter()
  const visits = useRef(NO_VISITS)
  const action = useRef<"PUSH" | "REPLACE" | "OTHER">("OTHER")
  useEffect(() => {
    const unsubscribeHistory = router.history.subscribe(({ action: { type } }) => {
      action.current = type === "PUSH" || type === "REPLACE" ? type : "OTHER"
    })
    const unsubscribeRouter = router.subscribe("onBeforeLoad", ({ fromLocation, hrefChanged }) => {
      if (fromLocation === undefined || !hrefChanged) return
      const { opener, searches } = visits.current
      visits.current = {
        searches: new Map([...searches, [fromLocation.pathname, fromLocation.searchStr]]),
        opener: { PUSH: fromLocation.href, REPLACE: opener, OTHER: undefined }[action.current]
      }
    })
    return () => {
      unsubscribeHistory()
      unsubscribeRouter()
    }
  }, [router])
  return <VisitsContext value={visits}>{children}</VisitsContext>
}

const BackAnchor = ({ children, href = "" }: ComponentProps<"a">) => {
  const { history } = useRouter()
  const { opener, searches } = useContext(VisitsContext).current
  const target = href + (searches.get(href) ?? "")
  const goBack = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // The list is one step back: going there restores its scroll position too.
    if (opener === target) history.back()
    else history.push(target)
  }
  return (
    <a className={css["back"]} href={target} onClick={goBack}>
      <ArrowLeft size={16} aria-hidden />
      <span className={css["backTo"]}>{uiTexts.page.backTo}</span> {children}
    </a>
  )
}

/** Link to the list that a page belongs to, with the filters that the list had. */
export const BackLink = createLink(BackAnchor)
