// Writes measured figures into a page of the guide.
import { readFile, writeFile } from 'node:fs/promises'

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` of a page. Throws when the markers are missing. */
export async function updatePage(file, name, text) {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const page = await readFile(file, 'utf8')
  const begin = page.indexOf(opening)
  const end = page.indexOf(closing)
  if (begin === -1 || end < begin) throw new Error(`${file} lacks ${opening} and ${closing}`)
  const block = [opening, text, ''].join('\n\n')
  await writeFile(file, page.slice(0, begin) + block + page.slice(end))
}
