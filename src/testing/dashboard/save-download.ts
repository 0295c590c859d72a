import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'

/** A file that the page saved. */
export interface SavedFile {
  readonly name: string
  readonly text: string
}

/** The file that the browser downloads after `start`. */
export async function saveDownload(page: Page, start: () => Promise<void>): Promise<SavedFile> {
  const [download] = await Promise.all([page.waitForEvent('download'), start()])
  return {
    name: download.suggestedFilename(),
    text: await text(await download.createReadStream()),
  }
}
