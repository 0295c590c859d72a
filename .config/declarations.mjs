import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Checks the types, and writes the declarations of the faces and of the modules that they refer to. */
export async function declare(names) {
  const compiler = join('node_modules', 'typescript', 'bin', 'tsc')
  const args = [compiler, '--project', '.config/tsconfig.build.json']
  const code = await new Promise((end) =>
    spawn(process.execPath, args, { stdio: 'inherit' }).on('close', end),
  )
  if (code !== 0) throw new Error('The TypeScript compiler found errors.')

  const needed = new Set()
  const faces = names.map((face) => `dist/${face}.d.ts`)
  for (const file of faces.filter((face) => existsSync(face))) await follow(file, needed)
  const written = await readdir('dist', { recursive: true })
  const unused = written.filter((file) => file.endsWith('.d.ts') && !needed.has(join('dist', file)))
  await Promise.all(unused.map((file) => rm(join('dist', file))))
}

/** Collects a declaration file and all files that it imports. */
async function follow(file, found) {
  if (found.has(file)) return
  found.add(file)
  const text = await readFile(file, 'utf8')
  for (const [, target] of text.matchAll(/ from '(\.[^']*)\.ts'/g)) {
    await follow(join(dirname(file), `${target}.d.ts`), found)
  }
}
