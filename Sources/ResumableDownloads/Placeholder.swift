enum ResumableDownloadsPlaceholder {}
