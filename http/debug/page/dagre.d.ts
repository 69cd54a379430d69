/** The package's module for browsers, served beside the page's own files. */
export * from '@dagrejs/dagre';
