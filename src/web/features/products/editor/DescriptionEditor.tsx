import { Blockquote } from "@tiptap/extension-blockquote"
import { Bold } from "@tiptap/extension-bold"
import { Document } from "@tiptap/extension-document"
import { HardBreak } from "@tiptap/extension-hard-break"
import { Heading } from "@tiptap/extension-heading"
import { Italic } from "@tiptap/extension-italic"
import { Link } from "@tiptap/extension-link"
import { BulletList, ListItem, OrderedList } from "@tiptap/extension-list"
import { Paragraph } from "@tiptap/extension-paragraph"
import { Text } from "@tiptap/extension-text"
import { UndoRedo } from "@tiptap/extensions"
import { type Editor, EditorContent, useEditor, useEditorState } from "@tiptap/react"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { TextField } from "../../../shared/ui/form/Field.tsx"
import fieldCss from "../../../shared/ui/form/Form.module.css"
import css from "../Products.module.css"
import { cleanHtml, editorHtml } from "./descriptionHtml.ts"
import { productTexts } from "../productTexts.ts"

const EXTENSIONS = [
  Document,
  Paragraph,
  Text,
  Heading.configure({ levels: [2, 3] }),
  Bold,
  Italic,
  BulletList,
  OrderedList,
  ListItem,
  Blockquote,
  HardBreak,
  Link.configure({ openOnClick: false, HTMLAttributes: { target: null, rel: null, class: null } }),
  UndoRedo
]

const { heading } = productTexts.description

/** Buttons of the toolbar. */
const FORMATS = [
  {
    label: productTexts.description.bold,
    isOn: (editor: Editor) => editor.isActive("bold"),
    run: (editor: Editor) => editor.chain().focus().toggleBold().run()
  },
  {
    label: productTexts.description.italic,
    isOn: (editor: Editor) => editor.isActive("italic"),
    run: (editor: Editor) => editor.chain().focus().toggleItalic().run()
  },
  {
    label: heading(2),
    isOn: (editor: Editor) => editor.isActive("heading", { level: 2 }),
    run: (editor: Editor) => editor.chain().focus().toggleHeading({ level: 2 }).run()
  },
  {
    label: heading(3),
    isOn: (editor: Editor) => editor.isActive("heading", { level: 3 }),
    run: (editor: Editor) => editor.chain().focus().toggleHeading({ level: 3 }).run()
  },
  {
    label: productTexts.description.bulletList,
    isOn: (editor: Editor) => editor.isActive("bulletList"),
    run: (editor: Editor) => editor.chain().focus().toggleBulletList().run()
  },
  {
    label: productTexts.description.orderedList,
    isOn: (editor: Editor) => editor.isActive("orderedList"),
    run: (editor: Editor) => editor.chain().focus().toggleOrderedList().run()
  },
  {
    label: productTexts.description.quote,
    isOn: (editor: Editor) => editor.isActive("blockquote"),
    run: (editor: Editor) => editor.chain().focus().toggleBlockquote().run()
  }
]

const SCHEME = /^(?:[a-z][a-z\d+.-]*:|[/#])/i

/** Links the selected text, or inserts the address as a link. */
const setLink = (editor: Editor, typed: string) => {
  const address = typed.trim()
  if (address === "") return editor.chain().focus().extendMarkRange("link").unsetLink().run()
  const href = SCHEME.test(address) ? address : `https://${address}`
  if (!editor.state.selection.empty || editor.isActive("link")) {
    return editor.chain().focus().extendMarkRange("link").setLink({ href }).run()
  }
  const marks = [{ type: "link", attrs: { href } }]
  return editor.chain().focus().insertContent({ type: "text", text: address, marks }).run()
}

const focusInput = (input: HTMLInputElement | null) => input?.focus()

const LinkForm = ({ close, editor }: { readonly editor: Editor; readonly close: () => void }) => {
  const [address, setAddress] = useState(() => String(editor.getAttributes("link")["href"] ?? ""))
  const apply = (next: string) => {
    setLink(editor, next)
    close()
  }
  return (
    <div className={css["link"]}>
      <TextField
        ref={focusInput}
        label={productTexts.description.linkAddress}
        placeholder={productTexts.description.linkPlaceholder}
        value={address}
        onChange={({ target }) => setAddress(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          event.preventDefault()
          apply(address)
        }}
      />
      <Button onClick={() => apply(address)}>{productTexts.description.applyLink}</Button>
      {editor.isActive("link") ? (
        <Button kind="quiet" onClick={() => apply("")}>
          {productTexts.description.removeLink}
        </Button>
      ) : undefined}
    </div>
  )
}

const Toolbar = ({ editor }: { readonly editor: Editor }) => {
  const [isLinking, setLinking] = useState(false)
  const active = useEditorState({
    editor,
    selector: ({ editor: now }) => [...FORMATS.map(({ isOn }) => isOn(now)), now.isActive("link")]
  })
  return (
    <>
      <fieldset className={css["toolbar"]} aria-label={productTexts.description.formatting}>
        {FORMATS.map(({ label, run }, index) => (
          <Button key={label} kind="quiet" aria-pressed={active[index]} onClick={() => run(editor)}>
            {label}
          </Button>
        ))}
        <Button kind="quiet" aria-pressed={active[FORMATS.length]} onClick={() => setLinking(!isLinking)}>
          {productTexts.description.link}
        </Button>
      </fieldset>
      {isLinking ? <LinkForm editor={editor} close={() => setLinking(false)} /> : undefined}
    </>
  )
}

/** Attributes that name and describe the text box. */
export interface TextBoxNames {
  readonly "aria-labelledby": string
  readonly "aria-describedby": string
  readonly "aria-invalid"?: "true"
}

interface DescriptionEditorProps {
  readonly names: TextBoxNames
  readonly value: string
  readonly change: (value: string) => void
  /** True if the text box gets the focus. */
  readonly hasFocus: boolean
}

/** Text editor of a description. Without a change, and after undoing all, the value stays byte for byte. */
export const DescriptionEditor = ({ change, hasFocus, names, value }: DescriptionEditorProps) => {
  /** Value that the editor shows, and the one that it was opened with. */
  const shown = useRef(value)
  const opened = useRef({ value, html: "" })
  const editor = useEditor({
    extensions: EXTENSIONS,
    content: editorHtml(value),
    // The Content-Security-Policy forbids style elements.
    injectCSS: false,
    editorProps: {
      attributes: {
        ...names,
        role: "textbox",
        "aria-multiline": "true",
        class: `${fieldCss["control"]} ${css["text"]}`
      }
    },
    onCreate: ({ editor: now }) => {
      opened.current = { value: shown.current, html: now.getHTML() }
    },
    onUpdate: ({ editor: now }) => {
      const html = now.getHTML()
      shown.current = html === opened.current.html ? opened.current.value : cleanHtml(html)
      change(shown.current)
    }
  })
  useLayoutEffect(() => {
    // At once, because Tiptap's own autofocus loses what is typed until the next frame.
    if (hasFocus) editor.view.focus()
  }, [editor, hasFocus])
  useEffect(() => {
    // Discarded changes, or those of another user.
    if (value === shown.current) return
    shown.current = value
    editor.commands.setContent(editorHtml(value), { emitUpdate: false })
    opened.current = { value, html: editor.getHTML() }
  }, [editor, value])
  return (
    <>
      <Toolbar editor={editor} />
      <EditorContent editor={editor} />
    </>
  )
}
