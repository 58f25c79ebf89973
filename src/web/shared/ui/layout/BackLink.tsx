import { createLink, type ParsedLocation, useLocation, useRouter } from "@tanstack/react-router"
import { ArrowLeft } from "lucide-react"
import type { ComponentProps, MouseEvent } from "react"
import { uiTexts } from "../uiTexts.ts"
import css from "./Page.module.css"

/** Last search of each path, such as the filters of a list. */
const searches = new Map<string, string>()

/** Location before the open one. */
let previous: ParsedLocation | undefined

/** Remembers a location that is left, for the links that lead back to it. */
export const rememberLocation = (location: ParsedLocation): void => {
  searches.set(location.pathname, location.searchStr)
  previous = location
}

const BackAnchor = ({ children, href = "" }: ComponentProps<"a">) => {
  const { history } = useRouter()
  const { state } = useLocation()
  const target = href + (searches.get(href) ?? "")
  const goBack = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    // The list is one step back: going there restores its scroll position too.
    const isPrevious = previous?.href === target && previous.state.__TSR_index === state.__TSR_index - 1
    if (isPrevious) history.back()
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
