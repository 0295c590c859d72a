/** How long a browser may take to begin a download, in milliseconds. */
const DOWNLOAD_START = 60_000

/** Saves a text as a file, as a download of the browser. */
export function saveFile(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_START)
}

/** A name for a file of several parts, such as `snapshot-default.json`. Other characters than letters and digits become `-`. */
export function fileName(parts: readonly string[], extension: string): string {
  const words = parts.map((part) => part.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60))
  return `${words.join('-')}.${extension}`
}
