import type { ContentWriter } from './content-writer.ts'
import { FILES } from './files.ts'

/** The media types of files that have several names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/x-ms-bmp': 'image/bmp',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/mp4': 'video/mp4',
  'application/mp4': 'video/mp4',
  'application/x-gzip': 'application/gzip',
  'application/x-tgz': 'application/gzip',
  'application/x-pdf': 'application/pdf',
  'application/zip-compressed': 'application/zip',
  'application/x-zip': 'application/zip',
  'application/x-zip-compressed': 'application/zip',
}

/** The file that stands for all other media types of a kind. */
const BY_KIND: Readonly<Record<string, string>> = {
  audio: 'audio/wav',
  image: 'image/png',
  video: 'video/mp4',
}

export const fileWriter: ContentWriter = {
  takesText: false,
  isFile: true,
  write: (_value, { mediaType }) => {
    const [kind = ''] = mediaType.split('/')
    const usual = BY_KIND[kind] ?? 'application/octet-stream'
    const file = FILES[OTHER_NAMES[mediaType] ?? mediaType] ?? FILES[usual] ?? ''
    return { body: Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0)) }
  },
}
