import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path/posix'

/** A page of the documentation. */
export interface Page {
  /** Relative to the root of the repository, such as `.github/docs/quickstart.md`. */
  readonly path: string
  readonly text: string
}

/** A fenced block of code. */
export interface CodeBlock {
  /** The language, such as `ts`; empty when the fence names none. */
  readonly language: string
  readonly code: string
  /** What the comment above the block names, such as `vitest.test.ts`: `<!-- example: vitest.test.ts -->`. */
  readonly example: string | undefined
}

const FENCE = /^(?:<!-- example: (.+?) -->\n+)?```(\w*)\n([\s\S]*?)^```$/gm

/** The README, and the pages of the guide. */
export async function readGuide(): Promise<readonly Page[]> {
  return Promise.all(['README.md', ...(await pagesIn('.github/docs'))].map(readPage))
}

/** All pages of the repository, with those for contributors. */
export async function readAllPages(): Promise<readonly Page[]> {
  return Promise.all(['README.md', ...(await pagesIn('.github'))].map(readPage))
}

async function pagesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true })
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name))
}

async function readPage(path: string): Promise<Page> {
  return { path, text: await readFile(path, 'utf8') }
}

/** The blocks of code of a page, in order. */
export function codeBlocks({ text }: Page): readonly CodeBlock[] {
  return [...text.matchAll(FENCE)].map(([, example, language = '', code = '']) => ({
    language,
    code,
    example,
  }))
}

/** The page's text with the code of each block replaced by what `render` returns. */
export async function renderBlocks(
  page: Page,
  render: (block: CodeBlock) => Promise<string>,
): Promise<string> {
  const rendered: string[] = []
  for (const block of codeBlocks(page)) rendered.push(await render(block))
  const codes = rendered.values()

  return page.text.replace(FENCE, (fenced: string, _example, _language, code: string) => {
    const { value = code } = codes.next()
    return `${fenced.slice(0, fenced.length - code.length - 3)}${value}\`\`\``
  })
}

/** The page without its blocks of code and its comments. */
export function prose({ text }: Page): string {
  return text.replace(FENCE, '').replace(/<!--[\s\S]*?-->/g, '')
}

/** What is written as code within the prose: `--port 4010`. */
export function codeSpans(page: Page): readonly string[] {
  return [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
}

/** The targets of the page's links and images. */
export function links(page: Page): readonly string[] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** The anchors of the page's headings, as GitHub makes them. */
export function anchors(page: Page): readonly string[] {
  const seen = new Map<string, number>()
  return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/\]\([^)]*\)/g, '')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)

    return count === 0 ? anchor : `${anchor}-${count}`
  })
}
