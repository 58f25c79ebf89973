import { plural, t } from "@lingui/core/macro"
import { number } from "../../shared/data/format.ts"

/** Texts of files, their upload and their choice. */
export const fileTexts = {
  list: {
    title: t`Files`,
    search: t`Search`,
    searchPlaceholder: t`Name or alt text`,
    use: t`Use`,
    uses: { all: t`All files`, unused: t`Unused files`, used: t`Used files` },
    empty: t`No files yet`,
    emptyAdvice: t`Upload pictures here or in a product. Each picture is stored once.`,
    noMatches: t`No files match`,
    noMatchesAdvice: t`Change or clear the search.`,
    unused: t`Unused`,
    usage: (products: number) => t`In ${plural(products, { one: "# product", other: "# products" })}`,
    size: (width: string, height: string) => t`${width} × ${height}`,
    actions: (file: string) => t`Actions of ${file}`
  },
  alt: {
    edit: t`Edit alt text`,
    label: t`Alt text`,
    hint: t`Describes it for people who cannot see it. Products keep their own text.`,
    save: t`Save alt text`,
    saved: t`Alt text saved`
  },
  delete: {
    action: t`Delete file`,
    title: (file: string) => t`Delete ${file}?`,
    unused: t`No product shows this file. It cannot be restored.`,
    used: (products: number) =>
      t`This file is in ${plural(products, { one: "# product", other: "# products" })}. They will show no picture in its place. It cannot be restored.`,
    deleted: (file: string) => t`${file} deleted`
  },
  upload: {
    choose: t`Upload pictures`,
    take: t`Take picture`,
    advice: (mebibytes: number) =>
      t`Or drop pictures here, or paste them. JPEG, PNG, WebP, AVIF, GIF or SVG, up to ${number(mebibytes)} MiB each.`,
    uploads: t`Uploads`,
    progress: (file: string) => t`Upload of ${file}`,
    cancel: t`Cancel`,
    cancelUpload: (file: string) => t`Cancel upload of ${file}`,
    retry: t`Try again`,
    retryUpload: (file: string) => t`Try again: ${file}`,
    remove: t`Remove`,
    removeUpload: (file: string) => t`Remove upload of ${file}`,
    tooLarge: (mebibytes: number) => t`The file is larger than ${number(mebibytes)} MiB. Reduce its size.`,
    unfinished: t`Uploads that are not finished will be canceled.`,
    uploaded: (file: string) => t`${file} uploaded`
  },
  picker: {
    title: t`Choose from files`,
    add: (files: number) => t`Add ${plural(files, { one: "# file", other: "# files" })}`,
    none: t`Select files`
  }
} as const
