/** Small valid files as base64, by their media types: images of one pixel, an empty page, short silence, archives of one line. */
const FILES: Readonly<Record<string, string>> = {
  'image/bmp': 'Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAAgICAAA==',
  'image/gif': 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'image/jpeg':
    '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////' +
    '////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAB' +
    'PxA=',
  'image/x-icon':
    'AAABAAEAAQEAAAEAIABDAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAABAAAAAQgAAAAAOn6bVQAAAApJREFUeNpj' +
    'aAAAAIIAgdpFCDsAAAAASUVORK5CYII=',
  'image/png':
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJg' +
    'gg==',
  'image/webp': 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA',
  'audio/mpeg':
    '/+MYxAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAAAAAA',
  'audio/wav': 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==',
  'video/mp4':
    'AAAAHGZ0eXBpc29tAAACAGlzb21pc28ybXA0MQAAAHRtb292AAAAbG12aGQAAAAAAAAAAAAAAAAAAAPoAAAAAAAB' +
    'AAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAAAAAAAAAAAAAC',
  'application/gzip': 'H4sIAAAAAAACAytOzEtJyq/gAgCZGOfhCAAAAA==',
  'application/pdf':
    'JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+IGVuZG9iagoyIDAgb2JqPDwvVHlw' +
    'ZS9QYWdlcy9LaWRzWzMgMCBSXS9Db3VudCAxPj4gZW5kb2JqCjMgMCBvYmo8PC9UeXBlL1BhZ2UvUGFyZW50IDIg' +
    'MCBSL01lZGlhQm94WzAgMCA5OSA5OV0+PiBlbmRvYmoKeHJlZgowIDQKMDAwMDAwMDAwMCA2NTUzNSBmIAowMDAw' +
    'MDAwMDA5IDAwMDAwIG4gCjAwMDAwMDAwNTMgMDAwMDAgbiAKMDAwMDAwMDEwMyAwMDAwMCBuIAp0cmFpbGVyPDwv' +
    'U2l6ZSA0L1Jvb3QgMSAwIFI+PgpzdGFydHhyZWYKMTY1CiUlRU9GCg==',
  'application/zip':
    'UEsDBBQAAAAAAAAAIVyZGOfhCAAAAAgAAAAIAAAAZmlsZS50eHRzYW5kYm94ClBLAQIUAxQAAAAAAAAAIVyZGOfh' +
    'CAAAAAgAAAAIAAAAAAAAAAAAAACAAQAAAABmaWxlLnR4dFBLBQYAAAAAAQABADYAAAAuAAAAAAA=',
  'application/octet-stream': 'AAECAwQFBgcICQoLDA0ODw==',
}

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

/** A small valid file of a media type; of another type of the same kind where there is none. */
export function sampleFile(mediaType: string): Uint8Array {
  const [kind = ''] = mediaType.split('/')
  const usual = BY_KIND[kind] ?? 'application/octet-stream'
  const file = FILES[OTHER_NAMES[mediaType] ?? mediaType] ?? FILES[usual] ?? ''
  return Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0))
}
