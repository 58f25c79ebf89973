import { FileId, type MediaFile } from "../../domain/media/File.ts"
import { badId, invalid } from "./ChangeSetExamples.ts"

const DESK = FileId.make("019c1363-49c0-7f11-8a53-5b1c6e2f8a90")

const desk: MediaFile = {
  id: DESK,
  url: "https://platform.example/media/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08/oak-desk.jpg",
  contentType: "image/jpeg",
  bytes: 184_320,
  width: 1600,
  height: 1200,
  color: "#b08d57",
  alt: "Oak desk",
  name: "Oak desk.jpg",
  createdAt: "2026-01-31T09:30:00.000Z"
}

/** Examples of the operations of files. */
export const fileSamples = {
  createFile: {
    requests: {},
    response: { data: desk },
    malformed: { InvalidName: invalid("name: must be text of 1 to 255 characters") }
  },
  listFiles: {
    response: { files: [desk], nextCursor: null },
    malformed: { InvalidLimit: invalid("limit: must be an integer of at least 1") }
  },
  getFile: { response: { data: desk }, malformed: badId },
  deleteFile: { response: { data: { id: DESK, deleted: true } }, malformed: badId }
}
