module github.com/rowcast/rowcast/examples

go 1.25.0

require (
	github.com/rowcast/rowcast v0.0.0
	github.com/rowcast/rowcast/adapters/gin v0.0.0
	github.com/rowcast/rowcast/adapters/gorm v0.0.0
	github.com/glebarez/sqlite v1.11.0
	github.com/gin-gonic/gin v1.12.0
	gorm.io/gorm v1.31.2
	gorm.io/driver/postgres v1.6.3
	github.com/chromedp/chromedp v0.23.1
)

replace (
	github.com/rowcast/rowcast => ../
	github.com/rowcast/rowcast/adapters/gin => ../adapters/gin
	github.com/rowcast/rowcast/adapters/gorm => ../adapters/gorm
)
