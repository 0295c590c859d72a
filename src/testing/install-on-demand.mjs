// Packages that only some tests and scripts need, installed when they are asked for: `npm ci` stays small, and installs
// nothing that an older Node does not run.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

/**
 * Installs packages once, from their names to exact versions, and gives the folder that holds their `node_modules`. Git does
 * not see it, and `npm ci` removes it. It may be asked for by several processes at a time: the first to finish wins.
 */
export async function installOnDemand(name, packages) {
  const folder = `${CACHE}/${name}`
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: packages })
  if (await isInstalled(folder, manifest)) return folder

  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await install(unfinished, manifest)
    if (!(await isInstalled(folder, manifest))) await rm(folder, { recursive: true, force: true })
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true })
    if (!(await isInstalled(folder, manifest))) throw error
  }
  return folder
}

async function install(folder, manifest) {
  await writeFile(`${folder}/package.json`, manifest)
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const shell = process.platform === 'win32'
  await promisify(execFile)('npm', ['install', ...quiet], { cwd: folder, shell })
  // Last: where it stands, everything is there.
  await writeFile(`${folder}/installed.json`, manifest)
}

async function isInstalled(folder, manifest) {
  return (await readFile(`${folder}/installed.json`, 'utf8').catch(() => '')) === manifest
}
