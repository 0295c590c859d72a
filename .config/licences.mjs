import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The licences of the packages that these modules belong to. */
export async function licences(modules) {
  const folders = new Set(
    modules.flatMap((file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  )
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      )
      const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file
        ? await readFile(join(folder, file), 'utf8')
        : 'The package contains no licence text.'

      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )

  return [...new Set(texts)].join(`\n${'-'.repeat(80)}\n\n`)
}
